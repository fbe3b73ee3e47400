import * as z from "zod/mini";

/** Returns the keys of a schema, joined with dots if they are nested, without those that have no effect. */
export function keysOf(schema: z.ZodMiniType): string[] {
  const mapping = unwrapped(schema);
  if (!(mapping instanceof z.ZodMiniObject)) return [];
  return Object.entries(mapping.shape as Record<string, z.ZodMiniType>).flatMap(([key, value]) => {
    const inner = unwrapped(value);
    if (inner instanceof z.ZodMiniUnknown) return [];
    return inner instanceof z.ZodMiniObject ? keysOf(inner).map((sub) => `${key}.${sub}`) : [key];
  });
}

function unwrapped(schema: z.ZodMiniType): z.ZodMiniType {
  if (schema instanceof z.ZodMiniPipe) return unwrapped(schema.def.in as z.ZodMiniType);
  return schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable
    ? unwrapped(schema.def.innerType as z.ZodMiniType)
    : schema;
}
