type Json = Record<string, unknown>;

/** Keywords that hold one schema, a list of schemas, or schemas by name. */
const ONE = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames'];
const MANY = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const BY_NAME = ['properties', 'patternProperties'];

const isSchema = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Collects schemas by name. A schema with a `title` moves to `components/schemas` under that title, and a reference
 * replaces it. A member with `aliasOf` is left out: another member has the same meaning. Throws when two different schemas
 * have one title.
 */
export class Components {
  readonly schemas: Record<string, Json> = {};

  /** Returns the schema as the document shows it. */
  add(schema: object): Json {
    const { title, ...inner } = schema as Json;
    const shown = this.#inside(inner);
    if (typeof title !== 'string') return shown;
    // The description of one use of a schema stays beside its reference.
    const { description, default: fallback, ...named } = shown;
    const known = this.schemas[title];
    if (known && JSON.stringify(withoutWords(known)) !== JSON.stringify(named)) {
      throw new Error(`two schemas are named ${title}`);
    }
    this.schemas[title] ??= named;
    return {
      $ref: `#/components/schemas/${title}`,
      ...(description === undefined ? {} : { description }),
      ...(fallback === undefined ? {} : { default: fallback }),
    };
  }

  #inside(schema: Json): Json {
    return Object.fromEntries(
      Object.entries(schema).map(([key, value]) => {
        if (ONE.includes(key) && isSchema(value)) return [key, this.add(value)];
        if (MANY.includes(key) && Array.isArray(value)) return [key, value.map(item => this.add(item))];
        if (BY_NAME.includes(key) && isSchema(value)) {
          return [
            key,
            Object.fromEntries(
              Object.entries(value)
                .filter(([, item]) => !('aliasOf' in (item as Json)))
                .map(([name, item]) => [name, this.add(inWords(item as Json))]),
            ),
          ];
        }
        return [key, value];
      }),
    );
  }
}

/**
 * Moves the default of a member into its description. Generators of typed clients make a member with a `default` required, also in a
 * request, where the service fills it in.
 */
function inWords({ default: fallback, ...schema }: Json): Json {
  if (fallback === undefined) return schema;
  const described = typeof schema.description === 'string' ? `${schema.description.replace(/\.$/, '')}. ` : '';
  return { ...schema, description: `${described}Default: ${JSON.stringify(fallback)}.` };
}

const withoutWords = ({ description: _description, default: _default, ...rest }: Json): Json => rest;
