import { fireEvent, screen, waitFor, within } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import { type Host, mountWidget } from "../../../mock/host";

let host: Host;

test("a slice is saved as a file without going anywhere, and path and code are copied", async () => {
  const saved: { name: string; href: string }[] = [];
  const blobs: Blob[] = [];
  URL.createObjectURL = (blob) => `blob:${blobs.push(blob as Blob)}`;
  URL.revokeObjectURL = () => {};
  const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push({ name: this.download, href: this.href });
  });
  const written: string[] = [];
  vi.stubGlobal("navigator", {
    ...navigator,
    clipboard: { writeText: async (text: string) => void written.push(text) },
  });
  host = await mountWidget("small", {
    path: "/forecast/temp",
    index: { time: 3 },
    view: { mask: "raw" },
  });
  // Of an animation the file is large; here it is empty.
  host.kernel.answers.animate = ({ format }, _, buffers) => {
    const file_buffer = buffers.push(new DataView(new ArrayBuffer(0))) - 1;
    return { name: `film.${format}`, media_type: `image/${format}`, file_buffer };
  };
  const button = await screen.findByRole("button", { name: "Export" });
  const choose = async (name: string) => {
    fireEvent.click(button);
    fireEvent.click(within(await screen.findByRole("menu")).getByRole("menuitem", { name }));
  };
  await choose("CSV table");
  const name = "forecast_temp_time-2020-01-01-18-00_level-1000.csv";
  await waitFor(() => expect(saved).toEqual([{ name, href: "blob:1" }]));
  expect(blobs[0]?.type).toBe("text/csv");
  expect(host.requests("export")[0]?.params).toMatchObject({
    path: "/forecast/temp",
    format: "csv",
    index: { time: 3 },
    view: { mask: "raw" },
  });
  await choose("Animation along time (GIF)");
  await waitFor(() => expect(saved[1]?.name).toBe("film.gif"));
  expect(host.requests("animate")[0]?.params).toMatchObject({ dimension: "time", view: { mask: "raw" } });
  host.kernel.silent.add("animate");
  await choose("Animation along time (MP4)");
  host.kernel.tellFrames(2, 9);
  await screen.findByText("2 of 9");
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await screen.findByText("cancelled");
  await choose("Copy code");
  await waitFor(() => expect(written[0]).toContain("{'time': 3}"));
  fireEvent.click(button);
  const menu = await screen.findByRole("menu");
  await waitFor(() => expect(document.activeElement?.textContent).toBe("PNG image"));
  fireEvent.keyDown(document.activeElement as Element, { key: "ArrowUp" });
  expect(document.activeElement?.textContent).toBe("Copy code");
  fireEvent.keyDown(menu, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  click.mockRestore();
});
