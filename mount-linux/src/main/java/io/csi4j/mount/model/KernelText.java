package io.csi4j.mount.model;

import io.csi4j.mount.internal.text.PrintableText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Text from the kernel: bytes without an encoding, compared as bytes. {@link #toString()} is for
 * people: unprintable bytes are escaped.
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

  /** Returns the text with this UTF-8 form. */
  public static KernelText of(String text) {
    return new KernelText(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the text of these bytes. */
  public static KernelText ofBytes(byte[] bytes) {
    return new KernelText(bytes.clone());
  }

  /**
   * Does the same as {@link #ofBytes(byte[])} for a part of an array, up to but not including an
   * index.
   */
  public static KernelText ofBytes(byte[] from, int begin, int end) {
    return new KernelText(Arrays.copyOfRange(from, begin, end));
  }

  /** Returns whether this is the UTF-8 form of that text. */
  public boolean is(String text) {
    return Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns whether it ends with the kernel's mark of a deleted root. */
  boolean isMarkedDeleted() {
    int end = bytes.length - DELETED.length;
    return end >= 0 && Arrays.equals(bytes, end, bytes.length, DELETED, 0, DELETED.length);
  }

  /** Returns the text without the kernel's mark of a deleted root. */
  KernelText withoutDeletedMark() {
    return isMarkedDeleted()
        ? new KernelText(Arrays.copyOf(bytes, bytes.length - DELETED.length))
        : this;
  }

  /** Returns whether the text is empty. */
  public boolean isEmpty() {
    return bytes.length == 0;
  }

  /** Returns a copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Returns the text for people, without a user and a password before the host of an address. */
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

  /** Returns the text for people, escaped. */
  @Override
  public String toString() {
    return PrintableText.escape(bytes);
  }
}
