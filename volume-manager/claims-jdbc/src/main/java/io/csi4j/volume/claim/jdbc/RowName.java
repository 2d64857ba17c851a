package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.shared.RecordName;
import java.util.Arrays;

/**
 * The name of a record in the table that contains the records of all spaces: a byte for the space,
 * and a {@link RecordName}. The names of claims have no such byte, because the table first
 * contained only claims; a name that begins with the byte of a space has the byte 2 before it.
 *
 * <p>A row with the byte 2 before any other name was written by a program other than a store. Such
 * a row gets a name that begins with {@link #FOREIGN}, so that a scan continues after the row, and
 * not after the name that the row would have without its byte.
 */
final class RowName {

  /** The position after all names: none begins with this byte. */
  private static final byte[] END = {(byte) 0xff};

  /** The first byte of the name of a foreign row: no {@link RecordName} begins with this byte. */
  private static final byte FOREIGN = (byte) 0xff;

  private RowName() {}

  static byte[] of(RecordKey key) {
    return of(key.space(), RecordName.bytes(key.name()));
  }

  /** Returns the bytes of a name in a space; for an empty name, the position before all others. */
  static byte[] of(Space space, byte[] name) {
    byte first = first(space);
    if (space == Space.CLAIMS && name.length > 0 && name[0] == FOREIGN) {
      byte[] row = name.clone();
      row[0] = first;
      return row;
    }
    if (space == Space.CLAIMS && name.length > 0 && (name[0] & 0xff) > first) {
      return name;
    }
    byte[] all = new byte[1 + name.length];
    all[0] = first;
    System.arraycopy(name, 0, all, 1, name.length);
    return all;
  }

  /** Returns the position after all names of a space. */
  static byte[] end(Space space) {
    return space == Space.CLAIMS ? END : new byte[] {(byte) (first(space) + 1)};
  }

  private static byte first(Space space) {
    return switch (space) {
      case VOLUMES -> 0;
      case CLUSTER -> 1;
      case CLAIMS -> 2;
    };
  }

  /** Returns the bytes of the name without the space. */
  static byte[] name(byte[] row) {
    if (row.length > 1 && row[0] == 2 && (row[1] & 0xff) > 2) {
      byte[] foreign = row.clone();
      foreign[0] = FOREIGN;
      return foreign;
    }
    return row[0] > 2 || row[0] < 0 ? row : Arrays.copyOfRange(row, 1, row.length);
  }

  static RecordKey key(byte[] row) {
    Space space = row[0] == 0 ? Space.VOLUMES : row[0] == 1 ? Space.CLUSTER : Space.CLAIMS;
    return new RecordKey(space, RecordName.text(name(row)));
  }
}
