/** `BR.1502576394655843` and `US.ENT.11815799212886844830` are user ids, not numbers. */
const NUMBER = /^\d{6,15}$/;

/** A form that is valid beside another one: what is read, and how the other one is written. */
const FORMS: readonly [pattern: RegExp, other: (...digits: string[]) => string][] = [
  // Brazil: a mobile number has a ninth digit, which old WhatsApp ids lack.
  [/^(55\d{2})9(\d{8})$/, (area, rest) => `${area}${rest}`],
  [/^(55\d{2})([6-9]\d{7})$/, (area, rest) => `${area}9${rest}`],
  // Mexico: an extra 1 for mobile numbers.
  [/^521(\d{10})$/, rest => `52${rest}`],
  [/^52(\d{10})$/, rest => `521${rest}`],
  // Argentina: an extra 9.
  [/^549(\d{10})$/, rest => `54${rest}`],
  [/^54(\d{10})$/, rest => `549${rest}`],
];

/** The valid forms of a number, the given one first. Only for comparing: messages go to the id that Meta returned. */
export function variantsOf(number: string): string[] {
  if (!NUMBER.test(number)) return [number];
  const others = FORMS.flatMap(([pattern, other]) => {
    const digits = pattern.exec(number)?.slice(1);
    return digits ? [other(...digits)] : [];
  });
  return [number, ...others];
}
