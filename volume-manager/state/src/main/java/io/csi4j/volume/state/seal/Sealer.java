package io.csi4j.volume.state.seal;

/**
 * Seals the data on a disk or in a database with a key of the host. {@link AesGcmSealer} is one
 * implementation; a host with its own key service writes another.
 *
 * <p>Sealed bytes are bound to their subject: they cannot be opened with another subject.
 * Thread-safe. An implementation throws only {@link SealException}, without keys or values in the
 * message.
 *
 * @since 1.0
 */
public interface Sealer {

  /**
   * Returns these bytes in a form that cannot be read or changed without the key.
   *
   * @param clear at most 64 KiB
   * @param about the subject of the bytes, such as {@code CLAIM/k7x2}; not secret, and needed again
   *     to open them
   * @return the sealed bytes, at most 255 bytes longer
   * @throws SealException if there is no key to seal with
   */
  byte[] seal(byte[] clear, String about);

  /**
   * Opens sealed bytes.
   *
   * @throws SealException if the key is missing, or the bytes were changed or have another subject
   */
  byte[] open(byte[] sealed, String about);

  /**
   * Whether {@link #seal} would currently use the same key; if not, the bytes should be sealed
   * again.
   */
  boolean isCurrent(byte[] sealed);
}
