package io.csi4j.volume.internal.journal;

import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.HostIdentity.BootId;
import io.csi4j.volume.state.HostIdentity.HostId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * The first record of a segment; each owner that continues the segment adds another one.
 *
 * @param format the version of the format; the only field that every version can read
 * @param number the number of the segment
 * @param capacity the size with which the segment was created, in bytes
 * @param host the host of its owner
 */
record Header(int format, int number, long capacity, HostIdentity host) {

  /** The version written by this code. */
  static final int FORMAT = 1;

  private static final EntryName NAME = new EntryName(EntryName.HEADER, "header");

  static Header of(int number, long capacity, HostIdentity host) {
    return new Header(FORMAT, number, capacity, host);
  }

  Entry entry(long seq, long epoch) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeShort(format);
      out.writeInt(number);
      out.writeLong(capacity);
      out.writeUTF(host.host().value());
      out.writeUTF(host.boot().value());
      out.writeLong(host.mountNamespace());
    } catch (IOException e) {
      throw new UncheckedIOException("Writing to memory does not fail", e);
    }
    return new Entry(seq, epoch, NAME, Entry.PUT, bytes.toByteArray());
  }

  /**
   * Returns the header in this record; null if the record is not a header. A header of a newer
   * version has only its format.
   */
  static @Nullable Header from(Entry entry) {
    if (entry.name().kind() != EntryName.HEADER) {
      return null;
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(entry.value()))) {
      int format = in.readUnsignedShort();
      if (format > FORMAT) {
        return new Header(format, 0, 0, new HostIdentity(new HostId(""), new BootId(""), 0));
      }
      return new Header(
          format,
          in.readInt(),
          in.readLong(),
          new HostIdentity(new HostId(in.readUTF()), new BootId(in.readUTF()), in.readLong()));
    } catch (IOException | IllegalArgumentException e) {
      return null;
    }
  }

  boolean isNewer() {
    return format > FORMAT;
  }
}
