/** Stands in for TypeBox in the built pages: whatever is made of it is nothing, and may be read and called. */
const nothing: object = new Proxy(() => nothing, { get: () => nothing, apply: () => nothing });

export const Type = nothing;
