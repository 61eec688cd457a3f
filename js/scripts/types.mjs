// Writes src/client/protocol.gen.ts, the TypeScript types of protocol.schema.json.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The type of one schema; the protocol uses a small part of JSON Schema and nothing else is accepted. */
function typeOf(schema) {
  if (schema.$ref) return schema.$ref.replace("#/$defs/", "");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.type === "array") {
    const item = typeOf(schema.items);
    return item.includes(" ") ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type === "object") {
    const inner = schema.additionalProperties;
    return `Record<string, ${inner && typeof inner === "object" ? typeOf(inner) : "unknown"}>`;
  }
  const simple = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };
  if (schema.type) {
    const name = simple[schema.type];
    if (!name) throw new Error(`no TypeScript type for ${JSON.stringify(schema)}`);
    return name;
  }
  return "unknown";
}

export function generate(schema) {
  const out = [
    "// Made from protocol.schema.json by `npm run types`. Do not edit.",
    "",
    `export const PROTOCOL_VERSION = ${schema["x-version"]};`,
    "",
  ];
  for (const [name, definition] of Object.entries(schema.$defs)) {
    if (definition.description) out.push(`/** ${definition.description.replaceAll("*/", "* /")} */`);
    const properties = Object.entries(definition.properties ?? {});
    if (properties.length === 0) {
      out.push(`export type ${name} = Record<string, never>;`, "");
      continue;
    }
    out.push(`export interface ${name} {`);
    for (const [key, value] of properties) {
      if (value.description) out.push(`  /** ${value.description.replaceAll("*/", "* /")} */`);
      out.push(`  ${key}${(definition.required ?? []).includes(key) ? "" : "?"}: ${typeOf(value)};`);
    }
    out.push("}", "");
  }
  out.push("/** Params and result of each method. */", "export interface Methods {");
  for (const [method, { params, result }] of Object.entries(schema["x-methods"])) {
    out.push(`  ${method}: { params: ${params}; result: ${result} };`);
  }
  out.push("}", "");
  return out.join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const schema = JSON.parse(readFileSync(at("../protocol.schema.json"), "utf8"));
  writeFileSync(at("../src/client/protocol.gen.ts"), generate(schema));
}
