export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No clipboard on plain http: the old way.
    const area = document.createElement("textarea");
    area.value = text;
    area.style.cssText = "position:fixed;opacity:0";
    document.body.append(area);
    area.select();
    const done = document.execCommand?.("copy") ?? false;
    area.remove();
    return done;
  }
}

/** Puts a file on the user's own disk, without going anywhere. */
export function saveFile(name: string, type: string, bytes: DataView): void {
  const url = URL.createObjectURL(new Blob([bytes as DataView<ArrayBuffer>], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
