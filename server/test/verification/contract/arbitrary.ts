import fc from 'fast-check';

type Schema = Record<string, unknown>;

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  'date-time': fc
    .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map(date => date.toISOString()),
  'idn-email': fc.emailAddress().filter(text => text.length < 200),
  iri: fc.webUrl(),
};

/** Values that a JSON Schema (of the subset our contract uses) describes. */
export function valid(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.anyOf)) return fc.oneof(...schema.anyOf.map(branch => valid(branch as Schema)));
  switch (schema.type) {
    case 'object':
      return object(schema);
    case 'array':
      return fc.array(valid(schema.items as Schema), {
        minLength: (schema.minItems as number) ?? 0,
        maxLength: Math.min((schema.maxItems as number) ?? 4, 6),
      });
    case 'integer':
      return fc.integer({ min: (schema.minimum as number) ?? -1_000, max: (schema.maximum as number) ?? 1_000 });
    case 'number':
      return fc.double({
        min: (schema.minimum as number) ?? -1e6,
        max: (schema.maximum as number) ?? 1e6,
        noNaN: true,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return string(schema);
    default:
      return fc.jsonValue();
  }
}

function string(schema: Schema): fc.Arbitrary<string> {
  const minLength = (schema.minLength as number) ?? 0;
  const maxLength = Math.min((schema.maxLength as number) ?? 40, 60);
  if (typeof schema.format === 'string') return FORMATS[schema.format]!;
  if (typeof schema.pattern === 'string') {
    return fc
      .stringMatching(new RegExp(schema.pattern))
      .filter(text => text.length >= minLength && text.length <= ((schema.maxLength as number) ?? 10_000));
  }
  return fc.string({ minLength, maxLength, unit: 'binary' }).filter(text => !text.includes('\0'));
}

function object(schema: Schema): fc.Arbitrary<unknown> {
  const {
    properties,
    patternProperties,
    required = [],
  } = schema as {
    properties?: Record<string, Schema>;
    patternProperties?: Record<string, Schema>;
    required?: string[];
  };
  if (properties) {
    const model = Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, valid(value)]));
    return fc.record(model, { requiredKeys: required.filter(name => name in model) });
  }
  const value = Object.values(patternProperties ?? {})[0] ?? (schema.additionalProperties as Schema | undefined);
  const key = fc.string({ minLength: 1, maxLength: 10 }).filter(name => name !== '__proto__' && !name.includes('\0'));
  return fc.dictionary(key, typeof value === 'object' ? valid(value) : fc.jsonValue(), {
    minKeys: (schema.minProperties as number) ?? 0,
    maxKeys: 4,
    noNullPrototype: true,
  });
}

const junk = fc.oneof(
  fc.constantFrom<unknown>(null, '', '\0', '\ud800', -1, 0, 1e308, 1.5, true, [], {}, 'x'.repeat(3_000), '5', [null], {
    a: 1,
  }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A described value with something wrong in it somewhere. */
export const broken = (schema: Schema): fc.Arbitrary<unknown> => mutated(valid(schema));

/** A value with members replaced, removed and added. */
export const mutated = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      values,
      fc.array(fc.tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'add'), junk), { minLength: 1, maxLength: 3 }),
    )
    .map(([value, faults]) => {
      let root: unknown = structuredClone(value);
      for (const [at, how, drawn] of faults) {
        // A copy: the same drawn object twice in one value could make a cycle.
        const replacement = structuredClone(drawn);
        const places = placesOf(root);
        const place = places[at % Math.max(1, places.length)];
        if (!place) root = replacement;
        else if (how === 'replace') place.parent[place.key] = replacement;
        else if (how === 'remove') delete place.parent[place.key];
        else place.parent[`added_${at % 7}`] = replacement;
      }
      return root;
    });

function placesOf(root: unknown): { parent: Record<string, unknown>; key: string }[] {
  const places: { parent: Record<string, unknown>; key: string }[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    for (const [key, value] of Object.entries(node)) {
      places.push({ parent: node as Record<string, unknown>, key });
      open.push(value);
    }
  }
  return places;
}
