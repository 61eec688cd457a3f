import { fireEvent, screen, waitFor } from "@testing-library/preact";
import { expect, test } from "vitest";
import { type Host, mountWidget } from "../../../mock/host";

let host: Host;

/** Opens the editor of a document; what is tried there changes the mock store, as the kernel's overlay would. */
async function write() {
  const edited = { text: "" };
  host = await mountWidget("small", { path: "/forecast/sst", panel: "metadata" }, (kernel) => {
    const { edits } = kernel.summary;
    kernel.answers.document = (_, recorded) => {
      const { text } = edited;
      const { documents, ...rest } = recorded();
      return {
        ...rest,
        documents: documents.map((one) => (text ? { ...one, text, size: text.length } : one)),
      };
    };
    kernel.actions.edit = (_, { text }) => {
      edited.text = text as string;
      edits.steps = 1;
      edits.serial += 1;
      kernel.announce();
      return {};
    };
  });
  fireEvent.click(await screen.findByRole("button", { name: "Edit" }));
  const area = (await screen.findByRole("textbox", {
    name: "Edit forecast/sst/zarr.json",
  })) as HTMLTextAreaElement;
  const type = (text: string) => fireEvent.input(area, { target: { value: text } });
  return { edited, area, type };
}

test("what is JSON is tried while it is written; writing on amends the edit", async () => {
  const { area, type } = await write();
  const before = area.value;
  type(before.replace('"K"', '"degC"'));
  await waitFor(() => expect(host.requests("act")).toHaveLength(1));
  type(before.replace('"K"', '"degF"'));
  await waitFor(() => expect(host.requests("act")).toHaveLength(2));
  const [first, second] = host.requests("act").map(({ params }) => params.params as Record<string, unknown>);
  expect(first).toMatchObject({ key: "forecast/sst/zarr.json", amend: false });
  expect(second).toMatchObject({ amend: true });
  expect(second?.text).toContain("degF");
  // The banner is there while something is tried.
  expect(await screen.findByRole("region", { name: "Edits" })).toBeTruthy();
  expect(area.value).toContain("degF");
});

test("of what is not JSON the line is marked", async () => {
  const { area, type } = await write();
  host.kernel.failing.set("act", "Not JSON, so not tried: expecting a value at line 2, column 5");
  type(`${area.value} {`);
  expect((await screen.findByRole("alert")).textContent).toContain("line 2, column 5");
  expect(area.getAttribute("aria-invalid")).toBe("true");
  expect(host.el.querySelector(".nzx-editor .nzx-mark-blocks")?.textContent).toBe("2");
  expect(screen.queryByRole("region", { name: "Edits" })).toBeNull();
});

test("an edit that is taken back elsewhere is taken back in the text", async () => {
  const { edited, area, type } = await write();
  const before = area.value;
  type(before.replace('"K"', '"degC"'));
  await waitFor(() => expect(edited.text).toContain("degC"));
  // The size beside the name is that of the text that came back.
  await screen.findByText(`${edited.text.length} B`);
  edited.text = before;
  host.kernel.summary.edits.serial += 1;
  host.kernel.announce();
  await waitFor(() => expect(area.value).toBe(before));
});
