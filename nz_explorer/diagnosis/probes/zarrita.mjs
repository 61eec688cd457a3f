// Opens arrays with zarrita, decodes their first and last chunk, and answers in JSON lines as the other readers do.
import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

const asked = JSON.parse(process.env.NZ_EXPLORER_ASKED);
const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function load(folder) {
  const description = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const entry = description.exports?.["."]?.import ?? description.module ?? description.main;
  return import(pathToFileURL(path.join(folder, entry)).href);
}

/** Reads the keys of a folder; symbolic links do not lead out of it unless that was asked for. */
function folderStore(root, whole) {
  const get = async (key) => {
    try {
      const file = path.join(root, key);
      if (!asked.followLinks && !(await realpath(file)).startsWith(whole + path.sep)) return undefined;
      return new Uint8Array(await readFile(file));
    } catch (error) {
      if (["ENOENT", "ENOTDIR", "EISDIR"].includes(error.code)) return undefined;
      throw error;
    }
  };
  // shards are read in parts
  const getRange = async (key, { offset, length, suffixLength }) => {
    const data = await get(key);
    return suffixLength === undefined ? data?.slice(offset, offset + length) : data?.slice(-suffixLength);
  };
  return { get, getRange };
}

function webStore(root) {
  const get = async (key, headers = {}) => {
    const response = await fetch(root.replace(/\/$/, "") + key, { headers });
    if (response.status === 404 || response.status === 403) return undefined;
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    return [new Uint8Array(await response.arrayBuffer()), response.status];
  };
  const getRange = async (key, { offset, length, suffixLength }) => {
    const range = suffixLength === undefined ? `${offset}-${offset + length - 1}` : `-${suffixLength}`;
    const found = await get(key, { Range: `bytes=${range}` });
    if (found === undefined || found[1] === 206) return found?.[0];
    // a server that does not know ranges sends all of it
    return suffixLength === undefined ? found[0].slice(offset, offset + length) : found[0].slice(-suffixLength);
  };
  return { get: async (key) => (await get(key))?.[0], getRange };
}

function corners(shape) {
  if (shape.includes(0)) return [];
  const first = shape.map(() => 0);
  const last = shape.map((length) => length - 1);
  return last.every((at) => at === 0) ? [first] : [first, last];
}

function text(value) {
  if (typeof value === "string") return `'${value}'`;
  if (typeof value === "number" && Number.isInteger(value) && !Object.is(value, -0)) return String(value);
  return String(value);
}

const zarr = await load(asked.zarrita);
const isUrl = asked.location.includes("://");
const store = isUrl ? webStore(asked.location) : folderStore(asked.location, await realpath(asked.location));
const open = asked.zarrFormat === 2 ? zarr.open.v2 : zarr.open.v3;

for (const where of asked.arrays) {
  write({ at: where });
  let during = "opening";
  try {
    const array = await open(zarr.root(store).resolve(where), { kind: "array" });
    let raw = null;
    for (const [number, corner] of corners(array.shape).entries()) {
      during = number ? "reading the last chunk" : "reading the first chunk";
      const chunk = corner.map((at, axis) => Math.floor(at / array.chunks[axis]));
      const { data } = await array.getChunk(chunk);
      if (number === 0) raw = text(typeof data.get === "function" ? data.get(0) : data[0]);
    }
    write({ path: where, raw, shown: raw });
  } catch (error) {
    const said = `${error.name}: ${error.message}`.replaceAll(asked.location, "the store").slice(0, 600);
    write({ path: where, error: said.replace(/\s+/g, " "), kind: [error.name], where: [], during });
  }
}
write({ done: true });
