package io.csi4j.volume.claim.jdbc;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.shared.RecordName;
import java.util.Arrays;

/**
 * The name of a record in the table that contains the records of all spaces. It consists of a byte
 * for the space and a {@link RecordName}. For compatibility, the name of a claim has no byte for
 * the space, because the table originally contained only claims. The exception is a claim whose
 * name begins with the byte of a space: its name is preceded by the byte 2.
 *
 * <p>If a row has the byte 2 before any other name, another program than csi4j has written it. Such
 * a row is read with a name that begins with {@link #FOREIGN}. A scan can then continue after the
 * row. With the byte 2 simply removed, the name would belong to another position in the table.
 */
final class RowName {

  /** The position after all names. No name begins with this byte. */
  private static final byte[] END = {(byte) 0xff};

  /**
   * The first byte of the name of a row that another program has written. No {@link RecordName}
   * begins with this byte.
   */
  private static final byte FOREIGN = (byte) 0xff;

  private RowName() {}

  static byte[] of(RecordKey key) {
    return of(key.space(), RecordName.bytes(key.name()));
  }

  /**
   * Returns the stored form of a name in a space. For an empty name, returns the position before
   * all names of the space.
   */
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

  /** Returns the encoded name in a row, without the byte for the space. */
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
