import type { PageResult, Span } from "../client/protocol.gen";
import { dimensionsOf, type MockStore } from "./data";

export type Block = PageResult["blocks"][number];
export type Blocks = (path: string, params: Record<string, unknown>) => Block[];

export const span = (text: string, change: Partial<Span> = {}): Span => ({
  text,
  kind: "",
  path: null,
  pointer: null,
  rule: null,
  panel: null,
  title: null,
  ...change,
});

const link = (path: string, label = path) => span(label, { path });
const said = (...text: (string | Span)[]): Block => ({ type: "paragraph", text, tone: null });
const code = (text: string, title: string): Block => ({
  type: "code",
  text,
  language: "python",
  label: `${title}: Python`,
  title: [title],
  marks: [],
  numbers: false,
  lines: [],
});

/** Pages in the manner of the kernel's; what those really say is tested with the kernel. */
export function pagesOf(store: MockStore): Record<string, Blocks> {
  const inside = (path: string, below: unknown) => (other: { path: string }) =>
    other.path === path || (below === true && other.path.startsWith(path === "/" ? "/" : `${path}/`));
  return {
    about: (path) => {
      const node = store.nodes.get(path);
      const { shape = null, data_type = null } = node?.row ?? {};
      const items = Object.entries({ "Data type": data_type, Shape: shape?.join(" × ") });
      return [
        {
          type: "definitions",
          items: items.map(([label, text]) => ({ label: [label], text: [text ?? "none"] })),
        },
        {
          type: "table",
          label: "Attributes",
          columns: ["Attribute", "Value"],
          rows: (node?.attributes ?? []).map(({ name, value }) => ({
            tone: null,
            inside: [],
            cells: [[name], [span(value, { kind: "code" })]],
          })),
        },
      ];
    },
    dimensions: (path) => {
      const group = store.nodes.get(path)?.row.kind === "array" ? path.replace(/\/[^/]+$/, "") || "/" : path;
      return [
        {
          type: "table",
          label: "Dimensions",
          columns: ["Dimension", "Length", "Used by"],
          rows: [...dimensionsOf(store, group)].map(([name, lengths]) => ({
            tone: lengths.size > 1 ? "error" : null,
            inside: [],
            cells: [
              [name],
              [[...lengths.keys()].join(", ")],
              [...lengths.values()].flat().map((one) => link(one, one.slice(one.lastIndexOf("/") + 1))),
            ],
          })),
        },
      ];
    },
    netcdf: () => [
      { type: "heading", text: ["From NUG to NZ"] },
      {
        type: "table",
        label: "netCDF concepts",
        columns: ["NetCDF (NUG)", "Zarr (NZ)", "In this dataset"],
        rows: [{ tone: null, inside: [], cells: [["dataset"], ["hierarchy"], [link("/")]] }],
      },
    ],
    code: (path, { index }) => {
      const at = Object.entries(index as Record<string, number>).map(([name, value]) => `${name}=${value}`);
      return [
        code(
          `h = nz.open_store("${store.name}")\nda = h["${path}"].isel(${at.join(", ")})`,
          "With nz_explorer",
        ),
        code(`import zarr\nz = zarr.open_array("${store.name}", path="${path.slice(1)}")`, "With zarr"),
      ];
    },
    finding: (path, { rule, message }) => [
      {
        type: "definitions",
        items: [
          { label: ["The convention"], text: [`what ${rule} says`] },
          { label: ["Where"], text: [link(path), ` ${message}`] },
        ],
      },
    ],
    "open questions": (path, { below }) => {
      const open = store.notEvaluated.filter(inside(path, below));
      const found = store.findings.some(inside(path, below));
      return [
        ...(found ? [] : [said(span("No findings.", { kind: "strong" }))]),
        ...(open.length === 0
          ? []
          : [
              {
                type: "section",
                title: [`Not evaluated: ${open.length}`],
                open: false,
                blocks: [
                  {
                    type: "list",
                    label: null,
                    items: open.map(({ rule, path: where, reason }) => [
                      `${rule} `,
                      link(where),
                      ` ${reason}`,
                    ]),
                  },
                ],
              } satisfies Block,
            ]),
      ];
    },
    report: () => [said(store.name)],
  };
}
