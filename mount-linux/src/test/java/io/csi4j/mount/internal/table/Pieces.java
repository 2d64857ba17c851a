package io.csi4j.mount.internal.table;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.IntUnaryOperator;

/** Reads a table that comes in pieces. */
final class Pieces {

  private Pieces() {}

  /**
   * What is read of these bytes.
   *
   * @param lengths the length of the next piece, by the most that it can be
   */
  static TableRows parse(byte[] table, String bootId, IntUnaryOperator lengths) {
    return TableRows.of(scan(table, lengths), bootId);
  }

  /** The rows that are found in these bytes. */
  static ScannedRows scan(byte[] table, IntUnaryOperator lengths) {
    MountInfoParser parser = new MountInfoParser();
    try (InputStream in = stream(table, lengths)) {
      boolean goesOn = true;
      while (goesOn) {
        goesOn = parser.read(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return parser.end();
  }

  private static InputStream stream(byte[] table, IntUnaryOperator lengths) {
    return new ByteArrayInputStream(table) {
      @Override
      public synchronized int read(byte[] out, int from, int most) {
        return super.read(out, from, Math.min(most, lengths.applyAsInt(most)));
      }
    };
  }
}
