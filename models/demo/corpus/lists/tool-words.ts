// Parts that invented tools are put together from. Names kept for the evaluation are in heldout.ts.
import { wordsOf } from './words-of.js';

export const TOOL_VERBS =
  wordsOf(`set, get, find, create, delete, update, open, close, start, stop, send, add, remove, check, show, play,
book, order, print, save, load, lock, move, rename, list, read, write, compute, convert, reserve, buy, sell, cancel, deliver, pack,
ship, track, repair, clean, charge, install, upload, download, share, post, scan, sort, merge, split, copy, export, import, test, deploy,
call, invite, remind, pay, transfer, refund, register, assign, approve, reject, publish, draw, cook, bake, build, unlock, mix, fill, empty,
count, weigh, label, pick, park, dim, heat, cool, mute, pause, resume, record, translate, compare, describe, monitor, request, return`);

export const TOOL_NOUNS =
  wordsOf(`light, door, file, room, song, movie, ticket, note, task, alarm, account, table, car, device, lamp,
window, folder, report, message, invoice, contact, item, event, record, product, meeting, playlist, heater, robot, camera, hotel,
flight, train, bus, book, letter, package, cake, pizza, meal, drink, garden, pump, printer, server, backup, database,
channel, user, group, project, ticket, bill, payment, coupon, recipe, lesson, course, exam, shift, truck, warehouse, shelf, sensor,
thermostat, blind, gate, fridge, oven, washer, fan, speaker, screen, page, chart, map, route, tour, boat, tent, canoe, court, desk,
locker, badge, visa, form, order, job, team, player, match, score, photo_album, poster, flag, sign, tree, plant_pot, fish_tank`);

/** Units that go with a number and name its parameter. */
export const TOOL_UNITS =
  wordsOf(`minutes, hours, days, weeks, people, guests, seats, copies, pages, pieces, boxes, bottles, cups, kilos,
grams, litres, metres, degrees, euros, dollars, points, levels, rows, nights, rooms, tickets, slices, bags, steps, rounds, coins, plates`);

/** Keys that single results of tools come under. */
export const RESULT_KEYS =
  wordsOf(`price, status, id, number, total, balance, time, date, color, size, weight, distance, level, speed, score,
count, title, owner, address, code, room, seat, duration, temperature, humidity, rating, model, version, address, location, result, value`);
