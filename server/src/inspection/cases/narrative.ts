import { distanceM, type Place } from '../checks/distance.ts';
import { literalPlace } from '../checks/geocode.ts';
import { type CaptureFacts, type CaseFacts, capitalised, duration, pictures, span, ZONE_SLACK_MS } from './facts.ts';
import type { Assessment, Finding } from './finding.ts';
import { distanceBeyondAccuracyM } from './places.ts';
import { takenAt } from './times.ts';

const DAY = 86_400_000;
const dimension = 'narrative_image_match' as const;
/** Radius of a named place: a city and its surroundings. */
const NAMED_PLACE_RADIUS_M = 30_000;
/** The analysis ignores dates further back: they are birthdays or the like, not the event. */
const HORIZON = 2 * 366 * DAY;

/** One or a few days that the narrative names. */
export interface NamedDate {
  /** As written. */
  text: string;
  /** The first and last moment it can mean anywhere on Earth, in ms since the epoch. */
  from: number;
  to: number;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const COUNTS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
};

type Reading = (match: RegExpExecArray, now: number) => [first: number, last: number] | null;

const PATTERNS: readonly [RegExp, Reading][] = [
  [/\b(\d{4})-(\d{1,2})-(\d{1,2})\b/g, m => day(+m[1]!, +m[2]!, +m[3]!)],
  [/\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g, m => day(+m[3]!, +m[2]!, +m[1]!)],
  // 3/4/2026 may be in March or April: both readings count.
  [/\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/g, m => either(day(+m[3]!, +m[1]!, +m[2]!), day(+m[3]!, +m[2]!, +m[1]!))],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?:\\s+of)?\\s+${MONTH}(?:,?\\s+(\\d{4}))?\\b`, 'gi'),
    (m, now) => dayOf(m[1]!, m[2]!, m[3], now),
  ],
  [
    new RegExp(`\\b${MONTH}\\s+(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(\\d{4}))?\\b(?!\\s*:)`, 'gi'),
    (m, now) => dayOf(m[2]!, m[1]!, m[3], now),
  ],
  [/\b(today|this (?:morning|afternoon|evening)|tonight)\b/gi, (_, now) => daysBack(now, 0, 0)],
  [/\b(yesterday|last night)\b/gi, (_, now) => daysBack(now, 1, 1)],
  [
    /\b(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten) (day|week|month)s? ago\b/gi,
    (m, now) => {
      const count = COUNTS[m[1]!.toLowerCase()] ?? Number(m[1]);
      const [each, slack] = { day: [1, 0], week: [7, 3], month: [30.5, 15] }[m[2]!.toLowerCase() as 'day'] as [
        number,
        number,
      ];
      return daysBack(now, count * each + slack, count * each - slack);
    },
  ],
];

function day(year: number, month: number, date: number): [number, number] | null {
  const at = Date.UTC(year, month - 1, date);
  const read = new Date(at);
  const real = year >= 1900 && year < 2200 && read.getUTCMonth() === month - 1 && read.getUTCDate() === date;
  return real ? [at, at + DAY] : null;
}

function either(a: [number, number] | null, b: [number, number] | null): [number, number] | null {
  return a && b ? [Math.min(a[0], b[0]), Math.max(a[1], b[1])] : (a ?? b);
}

/** Without a year, takes the latest such day that is not in the future. */
function dayOf(date: string, month: string, year: string | undefined, now: number): [number, number] | null {
  const index = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  if (year) return day(+year, index, +date);
  const thisYear = new Date(now).getUTCFullYear();
  const recent = day(thisYear, index, +date);
  return recent && recent[0] <= now + DAY ? recent : day(thisYear - 1, index, +date);
}

function daysBack(now: number, most: number, least: number): [number, number] {
  const midnight = Math.floor(now / DAY) * DAY;
  return [midnight - Math.ceil(most) * DAY, midnight - Math.floor(least) * DAY + DAY];
}

/** Finds the dates in a narrative, in English words or digits. Widens each to every time zone. At most 20. */
export function namedDates(narrative: string, now: number): NamedDate[] {
  const found: NamedDate[] = [];
  for (const [pattern, read] of PATTERNS) {
    for (const match of narrative.matchAll(pattern)) {
      const range = read(match, now);
      if (!range || found.length >= 20) continue;
      found.push({ text: match[0].replace(/\s+/g, ' '), from: range[0] - ZONE_SLACK_MS, to: range[1] + ZONE_SLACK_MS });
    }
  }
  return found;
}

/** Finds coordinates and Open Location Codes in a narrative. At most 5. */
export function literalPlaces(narrative: string): { text: string; place: Place }[] {
  const shapes =
    /[+-]?\d{1,2}\.\d{2,}\s*,\s*[+-]?\d{1,3}\.\d{2,}|\b[23456789CFGHJMPQRVWX]{8}\+[23456789CFGHJMPQRVWX]{2,3}\b/gi;
  return [...narrative.matchAll(shapes)].slice(0, 5).flatMap(([text]) => {
    const place = literalPlace(text);
    return place ? [{ text, place }] : [];
  });
}

const NOT_PLACES = new Set([
  'I',
  'My',
  'The',
  'It',
  'We',
  'He',
  'She',
  'They',
  'On',
  'When',
  'After',
  'Before',
  'This',
  'That',
]);

/** Finds capitalised words after a preposition of place, for the geocoder to try. At most 3. */
export function placeNames(narrative: string): string[] {
  const names = new Set<string>();
  for (const [, name] of narrative.matchAll(
    /\b(?:in|at|near|outside|around)\s+((?:\p{Lu}[\p{L}'’-]+)(?:\s+\p{Lu}[\p{L}'’-]+){0,3})/gu,
  )) {
    const month = MONTHS.includes(name!.slice(0, 3).toLowerCase()) && /^\p{L}+$/u.test(name!) && name!.length < 10;
    if (!month && !NOT_PLACES.has(name!)) names.add(name!);
  }
  return [...names].slice(0, 3);
}

/** Compares the dates and places in the narrative with the record. Null for a blank narrative. */
export function assessNarrative(facts: CaseFacts): Assessment | null {
  if (facts.narrative.trim() === '') return null;
  const dates = assessDates(facts);
  const places = assessNamedPlaces(facts);
  const findings = [...dates.findings, ...places.findings];
  const unknowns = [...dates.unknowns, ...places.unknowns];
  if (dates.named + places.named === 0) {
    unknowns.push('The narrative names no date and no place that could be held against the record.');
  }
  return { findings, unknowns, coverage: findings.length > 0 ? 0.5 : 0 };
}

interface Part {
  findings: Finding[];
  unknowns: string[];
  named: number;
}

function assessDates({ narrative, captures, finalizedAt }: CaseFacts): Part {
  const dates = namedDates(narrative, finalizedAt).filter(date => date.to > finalizedAt - HORIZON);
  const findings: Finding[] = [];
  const unknowns: string[] = [];
  const future = dates.find(date => date.from > finalizedAt + DAY);
  if (future)
    findings.push({
      dimension,
      weight: 0.25,
      text: `The narrative speaks of ${quoted(future.text)}, which is still to come.`,
    });
  // The event happened on the earliest named day or later. A picture from before that day shows something else.
  const event = dates.filter(date => date !== future).sort((a, b) => a.from - b.from)[0];
  const dated = captures.filter(capture => capture.source === 'live' || capture.exifAt);
  if (!event) return { findings, unknowns, named: dates.length };
  if (dated.length === 0) {
    unknowns.push(`No picture carries a date to hold against ${quoted(event.text)}.`);
    return { findings, unknowns, named: dates.length };
  }
  const early = dated.filter(capture => earliestOf(capture) < event.from);
  if (early.length > 0) {
    const by = event.from + ZONE_SLACK_MS - Math.min(...early.map(earliestOf));
    findings.push({
      dimension,
      weight: early.length === dated.length ? 0.6 : 0.4,
      text: `${capitalised(pictures(early.map(capture => capture.number)))} ${early.length === 1 ? 'was' : 'were'} taken up to ${duration(by)} before ${quoted(event.text)}, the earliest date of the narrative.`,
    });
  } else {
    const wait = Math.min(...dated.map(capture => takenAt(capture).at)) - event.to;
    if (wait > 60 * DAY) unknowns.push(`The pictures were taken ${duration(wait)} after ${quoted(event.text)}.`);
    findings.push({ dimension, weight: 0, text: `The pictures were taken on or after ${quoted(event.text)}.` });
  }
  return { findings, unknowns, named: dates.length };
}

/** The latest moment of the picture's oldest date: a live capture may carry an older file. */
function earliestOf(capture: CaptureFacts): number {
  const taken = takenAt(capture);
  return capture.exifAt ? Math.min(taken.at, capture.exifAt.at + capture.exifAt.slackMs) : taken.at;
}

function assessNamedPlaces({ narrative, captures, namedPlaces }: CaseFacts): Part {
  const literal = literalPlaces(narrative).map(place => ({ ...place, radiusM: 0 }));
  const named = namedPlaces.map(place => ({ ...place, radiusM: NAMED_PLACE_RADIUS_M }));
  const all = [...literal, ...named];
  const placed = captures.flatMap(capture => {
    const fix = capture.device ?? (capture.source === 'upload' ? capture.exifPlace : null);
    return fix ? [{ number: capture.number, fix }] : [];
  });
  if (all.length === 0) return { findings: [], unknowns: [], named: 0 };
  if (placed.length === 0) {
    return {
      findings: [],
      unknowns: [`No picture carries a position to hold against ${quoted(all[0]!.text)}.`],
      named: all.length,
    };
  }
  // The narrative may name several places. Each picture needs to fit only one.
  const nearest = all
    .map(({ text, place, radiusM }) => {
      const away = placed.map(({ fix }) => Math.max(0, distanceBeyondAccuracyM(fix, place) - radiusM));
      return {
        text,
        radiusM,
        away: Math.max(...away),
        near: Math.min(...placed.map(({ fix }) => distanceM(fix, place))),
      };
    })
    .sort((a, b) => a.away - b.away)[0]!;
  if (nearest.away <= 1_000) {
    const how = nearest.radiusM > 0 ? 'in or around' : `within ${span(Math.max(nearest.near, 10))} of`;
    return {
      findings: [{ dimension, weight: 0, text: `Pictures were taken ${how} ${quoted(nearest.text)}.` }],
      unknowns: [],
      named: all.length,
    };
  }
  const weight = nearest.radiusM > 0 ? 0.35 : nearest.away > 50_000 ? 0.65 : 0.5;
  return {
    findings: [
      {
        dimension,
        weight,
        text: `The pictures were taken at least ${span(nearest.away)} from ${quoted(nearest.text)}, which the narrative names.`,
      },
    ],
    unknowns: [],
    named: all.length,
  };
}

const quoted = (text: string): string => `“${text.replace(/[\p{C}\s]+/gu, ' ').slice(0, 60)}”`;
