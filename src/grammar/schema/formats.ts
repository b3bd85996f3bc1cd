// Formats that can be told from their shape, as regular expressions of the project's own making. Others are
// annotations, as draft 2020-12 has it.

const YEAR = '[0-9]{4}';
const DATE = `${YEAR}-((01|03|05|07|08|10|12)-(0[1-9]|[12][0-9]|3[01])|(04|06|09|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))`;
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?';
const ZONE = '(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])';
const BYTE = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const WORD = '[A-Za-z0-9]+';
const LABEL = `${WORD}(-${WORD})*`;

export const FORMATS: Readonly<Record<string, string>> = {
  date: DATE,
  time: `${CLOCK}${ZONE}`,
  'date-time': `${DATE}T${CLOCK}${ZONE}`,
  duration: 'P([0-9]{1,4}D(T[0-9]{1,4}[HMS])?|[0-9]{1,4}[YMW]|T[0-9]{1,4}[HMS])',
  email: `${WORD}([._+-]${WORD})*@${LABEL}(\\.${LABEL})+`,
  hostname: `${LABEL}(\\.${LABEL})*`,
  uuid: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  ipv4: `${BYTE}\\.${BYTE}\\.${BYTE}\\.${BYTE}`,
  ipv6: '[0-9a-f]{1,4}(:[0-9a-f]{1,4}){7}',
  uri: "https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~!$&'()*+,;=:@%-]*)*(\\?[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?(#[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?",
};
