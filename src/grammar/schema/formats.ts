// Formats that can be told from their shape, as regular expressions of the project's own making. Others are
// annotations, as draft 2020-12 has it.

const YEAR = '[0-9]{4}';
const LEAP_YEAR = '([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
const DAY = '(0[1-9]|[12][0-9]|30)';
const DATE = `(${YEAR}-((01|03|05|07|08|10|12)-(${DAY}|31)|(04|06|09|11)-${DAY}|02-(0[1-9]|1[0-9]|2[0-8]))|${LEAP_YEAR}-02-29)`;
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?';
const ZONE = '(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])';
const COUNT = '[0-9]{1,4}';
const DAYS = `(${COUNT}Y(${COUNT}M(${COUNT}D)?)?|${COUNT}M(${COUNT}D)?|${COUNT}D)`;
const HOURS = `T(${COUNT}H(${COUNT}M(${COUNT}S)?)?|${COUNT}M(${COUNT}S)?|${COUNT}S)`;
const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const WORD = '[A-Za-z0-9]+';
const LABEL = `${WORD}(-${WORD})*`;
const HEX = '[0-9A-Fa-f]';
const PART = `${HEX}{1,4}`;
/** Groups in front of `::` and behind it; together there are seven at most. */
const SHORTENED = [
  ...[1, 2, 3, 4, 5, 6].map((front) => `(${PART}:){1,${front}}(:${PART}){1,${7 - front}}`),
  `(${PART}:){1,7}:`,
  `:((:${PART}){1,7}|:)`,
].join('|');
/** Characters of a URI, and escapes among them; a sequence that repeats is cheaper than alternatives that do. */
const written = (others: string): string =>
  `[A-Za-z0-9._~!$&'()*+,;=:@${others}-]*(%${HEX}{2}[A-Za-z0-9._~!$&'()*+,;=:@${others}-]*)*`;
const BEHIND = `(\\?${written('/?')})?(#${written('/?')})?`;

export const FORMATS: Readonly<Record<string, string>> = {
  date: DATE,
  time: `${CLOCK}${ZONE}`,
  'date-time': `${DATE}T${CLOCK}${ZONE}`,
  duration: `P(${DAYS}(${HOURS})?|${HOURS}|${COUNT}W)`,
  email: `${WORD}([._+-]${WORD})*@${LABEL}(\\.${LABEL})+`,
  hostname: `${LABEL}(\\.${LABEL})*`,
  uuid: `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`,
  ipv4: `${BYTE}\\.${BYTE}\\.${BYTE}\\.${BYTE}`,
  ipv6: `(${PART}:){7}${PART}|${SHORTENED}`,
  uri: `((https?|ftp|wss?)://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/${written('/')})?|(mailto|urn|tel|geo):[A-Za-z0-9+]${written('/')})${BEHIND}`,
};
