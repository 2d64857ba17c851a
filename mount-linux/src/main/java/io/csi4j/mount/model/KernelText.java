package io.csi4j.mount.model;

import io.csi4j.mount.internal.text.PrintableText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Text that the kernel gave: bytes, in no encoding, compared as bytes. {@link #toString()} is for
 * people: bytes that cannot be shown are escaped.
 *
 * @since 1.0
 */
public final class KernelText {

  /** No path has two slashes in a row. */
  private static final byte[] DELETED = "//deleted".getBytes(StandardCharsets.US_ASCII);

  private final byte[] bytes;

  private KernelText(byte[] bytes) {
    this.bytes = bytes;
  }

  /** The text whose UTF-8 form the kernel has. */
  public static KernelText of(String text) {
    return new KernelText(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The text of these bytes. */
  public static KernelText ofBytes(byte[] bytes) {
    return new KernelText(bytes.clone());
  }

  /** {@link #ofBytes(byte[])} for a part of an array, up to but not including an index. */
  public static KernelText ofBytes(byte[] from, int begin, int end) {
    return new KernelText(Arrays.copyOfRange(from, begin, end));
  }

  /** Whether this is the UTF-8 form of that text. */
  public boolean is(String text) {
    return Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Whether it ends with the kernel's mark of a root that was deleted. */
  boolean isMarkedDeleted() {
    int end = bytes.length - DELETED.length;
    return end >= 0 && Arrays.equals(bytes, end, bytes.length, DELETED, 0, DELETED.length);
  }

  /** Without the kernel's mark of a root that was deleted. */
  KernelText withoutDeletedMark() {
    return isMarkedDeleted()
        ? new KernelText(Arrays.copyOf(bytes, bytes.length - DELETED.length))
        : this;
  }

  /** Whether there is no text. */
  public boolean isEmpty() {
    return bytes.length == 0;
  }

  /** A copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** The text for people, without a user and a password before the host of an address. */
  public String withoutCredentials() {
    return toString().replaceAll("//[^/\\s]*@", "//…@");
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KernelText text && Arrays.equals(bytes, text.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** The text for people, escaped. */
  @Override
  public String toString() {
    return PrintableText.escape(bytes);
  }
}
