// The command `koine`: reads the command line, runs one command, turns whatever goes wrong into one line and an exit
// code. Each command lives in a file of its own, loaded only when it is asked for.

import { Command, CommanderError, Option } from 'commander';
import { describeSettings, type Flags, type SettingHelp } from '../config/index.js';
import { exitCodeOf, explain } from './explain.js';
import type { ImportFlags } from './import.js';
import { version } from './package-files.js';
import type { PullFlags } from './pull.js';

/**
 * Runs `koine` with these arguments. Sets `process.exitCode`: 0 fine, 2 the user can put it right, 1 a bug. Resolves
 * when the command is done, for `serve` when it is serving.
 */
export async function main(args: readonly string[]): Promise<void> {
  try {
    await program().parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    process.stderr.write(`koine: ${explain(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

function program(): Command {
  const koine = new Command('koine')
    .description('One LLM inference server that speaks every dialect.')
    .version(version(), '-V, --version', 'print the version')
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false });
  addServe(koine);
  addModelCommands(koine);
  addLooks(koine);
  return koine;
}

function addServe(koine: Command): void {
  const serve = koine
    .command('serve [MODEL...]')
    .description(
      'serve models: a GGUF file, a folder with one, hf:org/repo[:quant], the name of a downloaded one, or nothing for the demo model',
    )
    .option('--config <FILE>', 'YAML file with settings named as the flags are')
    .addHelpText(
      'after',
      '\nEach --flag is also KOINE_FLAG in the environment; docs/operations.md has the table.',
    );
  for (const setting of describeSettings()) addSetting(serve, setting);
  serve.action(async (model: readonly string[], flags: Flags) => {
    const { serve: run } = await import('./serve.js');
    await run({ ...flags, model });
  });
}

/** One setting as an option. Values are collected as they are written; whether they are allowed is for config to say. */
function addSetting(command: Command, setting: SettingHelp): void {
  if (!setting.flag.startsWith('--')) return;
  const [flag = '', valueName] = setting.flag.split(' ');
  const about = `${setting.about} (default: ${setting.fallback})`;
  if (valueName === undefined) {
    command.addOption(new Option(flag, about));
    command.addOption(
      new Option(flag.replace('--', '--no-'), `the opposite of ${flag}`).hideHelp(setting.fallback === 'off'),
    );
    return;
  }
  const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];
  command.addOption(new Option(`${flag} <${valueName}>`, about).argParser(collect));
}

function addModelCommands(koine: Command): void {
  const modelsDir = new Option('--models-dir <FOLDER>', 'where downloaded models are kept');
  koine
    .command('pull <MODEL>')
    .description('download a model: hf:org/repo[:quant], or the address of a file on the hub')
    .option('--name <NAME>', 'call the model so: for serve and rm, and where it is published')
    .option('--if-available', 'a repository without a GGUF model is no failure: exit 0, with the message')
    .addOption(modelsDir)
    .action(async (model: string, flags: PullFlags) => (await import('./pull.js')).pull(model, flags));
  koine
    .command('import <PATH>')
    .description('take a GGUF file of this machine in, by a link')
    .option('--name <NAME>', 'the id to list and serve it under (default: the name of the file)')
    .option('--copy', 'copy the file instead')
    .addOption(modelsDir)
    .action(async (path: string, flags: ImportFlags) =>
      (await import('./import.js')).importFile(path, flags),
    );
  koine
    .command('list')
    .description('list downloaded and imported models')
    .addOption(modelsDir)
    .action(async (flags: Flags) => (await import('./list.js')).list(flags));
  koine
    .command('rm <MODEL>')
    .description('delete a downloaded model, or forget an imported one')
    .addOption(modelsDir)
    .action(async (model: string, flags: Flags) => (await import('./remove.js')).remove(model, flags));
}

function addLooks(koine: Command): void {
  koine
    .command('doctor')
    .description('look at this machine and say what is there, what is missing and what would help')
    .action(async () => (await import('./doctor.js')).doctor());
  koine
    .command('version')
    .description('print versions')
    .action(async () => (await import('./versions.js')).printVersions());
}
