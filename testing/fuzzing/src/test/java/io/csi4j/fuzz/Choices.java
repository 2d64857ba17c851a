package io.csi4j.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The bytes of an input, taken from its beginning as choices and pieces of text. */
public final class Choices {

  private final byte[] input;
  private int at;

  /** The choices in these bytes. */
  public Choices(byte[] input) {
    this.input = input;
  }

  /** One of so many, counted from 0; 0 where the input has ended. */
  public int of(int count) {
    return at == input.length ? 0 : (input[at++] & 0xff) % count;
  }

  /** A text of up to so many bytes, its length chosen first. */
  public String text(int most) {
    int length = Math.min(of(most + 1), input.length - at);
    String text = new String(input, at, length, StandardCharsets.UTF_8);
    at += length;
    return text;
  }

  /** All that was not taken yet. */
  public byte[] rest() {
    byte[] rest = Arrays.copyOfRange(input, at, input.length);
    at = input.length;
    return rest;
  }

  /** {@link #rest} as a text. */
  public String restAsText() {
    return new String(rest(), StandardCharsets.UTF_8);
  }
}
