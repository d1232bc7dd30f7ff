export function gate(): void {}
