package io.csi4j.volume.state.seal;

/**
 * Seals what is kept on a disk or in a database, with a key of the host. {@link AesGcmSealer} is
 * one; a host with a key service of its own writes another.
 *
 * <p>What is sealed is bound to what it is about: bytes that were sealed about one thing do not
 * open about another. Safe for many threads. An implementation throws nothing but {@link
 * SealException}, and names no key and no value in it.
 *
 * @since 1.0
 */
public interface Sealer {

  /**
   * Returns these bytes in a form that cannot be read or changed without the key.
   *
   * @param clear at most 64 KiB
   * @param about what they are about, such as {@code CLAIM/k7x2}; not secret, and needed again to
   *     open them
   * @return at most 255 bytes more
   * @throws SealException if there is no key to seal with
   */
  byte[] seal(byte[] clear, String about);

  /**
   * The bytes that were sealed.
   *
   * @throws SealException if the key is not there, or they were changed, or they are about
   *     something else
   */
  byte[] open(byte[] sealed, String about);

  /** Whether {@link #seal} would use the same key today; if not, it is time to seal them again. */
  boolean isCurrent(byte[] sealed);
}
