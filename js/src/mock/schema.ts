import Ajv2020 from "ajv/dist/2020";
import schema from "../../protocol.schema.json";

export { schema };

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ ...schema, $id: "protocol" });

/** Why a value is not what the protocol says; empty where it is. */
export function faults(definition: string, value: unknown): string {
  const validate = ajv.getSchema(`protocol#/$defs/${definition}`);
  if (!validate) throw new Error(`no ${definition} in the schema`);
  return validate(value) ? "" : ajv.errorsText(validate.errors);
}

export const methods = schema["x-methods"] as Record<string, { params: string; result: string } | undefined>;
