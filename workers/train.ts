export function train(): void {}
