// Small Python functions. {f} is the function's name, {a} {b} numbers, {n} a number, {l} a list, {x} its item, {s} a text.
import { type Phrase, phrase } from '../phrase.js';

/** A function: what it does, names it may have, and its text. */
export interface PythonFunction {
  readonly does: string;
  readonly names: readonly string[];
  readonly code: Phrase;
}

const TEXT = `
adds two numbers | add add_numbers plus | def {f}({a}, {b}):/    return {a} + {b}
subtracts two numbers | subtract minus sub | def {f}({a}, {b}):/    return {a} - {b}
multiplies two numbers | multiply times mul | def {f}({a}, {b}):/    return {a} * {b}
divides two numbers | divide div | def {f}({a}, {b}):/    return {a} / {b}
returns the larger number | maximum larger max_of_two | def {f}({a}, {b}):/    if {a} > {b}:/        return {a}/    return {b}
returns the smaller number | minimum smaller min_of_two | def {f}({a}, {b}):/    if {a} < {b}:/        return {a}/    return {b}
checks if a number is even | is_even even | def {f}({n}):/    return {n} % 2 == 0
checks if a number is odd | is_odd odd | def {f}({n}):/    return {n} % 2 == 1
squares a number | square squared | def {f}({n}):/    return {n} * {n}
doubles a number | double twice | def {f}({n}):/    return {n} * 2
computes the factorial | factorial fact | def {f}({n}):/    if {n} <= 1:/        return 1/    return {n} * {f}({n} - 1)
returns the n-th Fibonacci number | fibonacci fib | def {f}({n}):/    if {n} < 2:/        return {n}/    return {f}({n} - 1) + {f}({n} - 2)
returns the absolute value | absolute abs_value | def {f}({n}):/    if {n} < 0:/        return -{n}/    return {n}
sums a list | sum_list total sum_all | def {f}({l}):/    total = 0/    for {x} in {l}:/        total += {x}/    return total
counts the items of a list | count_items length size | def {f}({l}):/    count = 0/    for {x} in {l}:/        count += 1/    return count
returns the largest item | largest max_item | def {f}({l}):/    best = {l}[[0]/    for {x} in {l}:/        if {x} > best:/            best = {x}/    return best
computes the mean | mean average | def {f}({l}):/    return sum({l}) / len({l})
returns the first item | first first_item head | def {f}({l}):/    return {l}[[0]
returns the last item | last last_item | def {f}({l}):/    return {l}[[-1]
checks if a list is empty | is_empty empty | def {f}({l}):/    return len({l}) == 0
prints every item | print_all print_items show | def {f}({l}):/    for {x} in {l}:/        print({x})
doubles every item | double_all | def {f}({l}):/    return [[{x} * 2 for {x} in {l}]
reverses a text | reverse reverse_text | def {f}({s}):/    return {s}[[::-1]
turns a text into upper case | to_upper shout upper | def {f}({s}):/    return {s}.upper()
turns a text into lower case | to_lower lower | def {f}({s}):/    return {s}.lower()
counts the words of a text | count_words word_count | def {f}({s}):/    return len({s}.split())
greets a person | greet say_hello hello | def {f}(name):/    return "Hello, " + name
greets a person | greet welcome | def {f}(name):/    print(f"Hello, {o}name{c}!")
checks if a text is a palindrome | is_palindrome palindrome | def {f}({s}):/    return {s} == {s}[[::-1]
counts from one to n | count_to count_up | def {f}({n}):/    for i in range(1, {n} + 1):/        print(i)
converts Celsius to Fahrenheit | to_fahrenheit celsius_to_fahrenheit | def {f}(celsius):/    return celsius * 9 / 5 + 32
returns the area of a rectangle | area rectangle_area | def {f}(width, height):/    return width * height
checks if a number is positive | is_positive positive | def {f}({n}):/    return {n} > 0
prints hello world | main hello_world run | def {f}():/    print("Hello, world!")`;

/** All functions of this file. */
export const PYTHON_FUNCTIONS: readonly PythonFunction[] = TEXT.trim()
  .split('\n')
  .map((line) => {
    const [does = '', names = '', ...code] = line.split(' | ');
    return { does, names: names.split(' '), code: compile(code.join(' | ')) };
  });

// A slash at a line's end stands for a line break unless it divides; a doubled bracket stands for a single one.
function compile(code: string): Phrase {
  const broken = code.replace(/:\/ {4}/g, ':\n    ').replace(/\/( {4,})/g, '\n$1');
  const literal: Phrase = broken
    .split('[[')
    .flatMap((part, i): Phrase => (i === 0 ? phrase(part) : ['[', ...phrase(part.replace(']', '\u0001'))]));
  return literal.map((node) => (typeof node === 'string' ? node.replaceAll('\u0001', ']') : node));
}
