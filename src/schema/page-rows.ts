/** Rows of one page of a list, where nobody asks for more or fewer. */
export const PAGE_ROWS = 100
