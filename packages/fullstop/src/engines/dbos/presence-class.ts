/** The first half of the numbers of locks that tell what is present; the second is the hash of its name. */
export const presenceClass = 0x4653_4442;
