export function shortNames(script: string, style: string): [script: string, style: string];
