import { useState } from "preact/hooks";
import { useView } from "../../client/view";
import { saveFile } from "../button/files";
import { visible } from "../text/text";

/** Asks the kernel to do something about a node: saves the file that comes back, and goes where it leads. */
export function useAct(path: string) {
  const { goto, session } = useView();
  const [busy, setBusy] = useState(false);
  /** Returns what came of it, in a sentence. */
  const act = async (name: string, params: Record<string, unknown>): Promise<string> => {
    setBusy(true);
    try {
      const { value, buffers } = await session.client.call("act", { name, path, params }).answer;
      const bytes = buffers[value.file_buffer ?? -1];
      if (bytes && value.file) saveFile(value.file, value.media_type ?? "", bytes);
      if (value.path !== null || value.panel !== null)
        goto(value.path ?? session.path.peek(), value.panel ?? undefined);
      return visible(value.message ?? "");
    } catch (error) {
      return visible((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return { act, busy };
}
