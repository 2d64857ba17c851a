package io.csi4j.mount.internal;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.csi4j.mount.model.MountPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory outside the heap for the arguments of one call. An array that JNA passes is copied twice
 * and costs more than the rest of its work; an address is a number.
 */
final class CallMemory {

  /** Enough for the longest path with its NUL, and as much for what a call writes. */
  static final int SIZE = 8192;

  private final ByteBuffer bytes = ByteBuffer.allocateDirect(SIZE).order(ByteOrder.nativeOrder());
  private final long address = Pointer.nativeValue(Native.getDirectBufferPointer(bytes));

  /** The address of a byte. */
  long at(int offset) {
    return address + offset;
  }

  /** Writes these bytes. */
  void put(int offset, byte[] from) {
    bytes.position(offset);
    bytes.put(from);
  }

  /** Writes this path with a NUL after it. */
  void put(int offset, MountPath path) {
    bytes.position(offset);
    path.terminatedInto(bytes);
  }

  /** Reads as many of these bytes. */
  void get(int offset, byte[] to, int length) {
    bytes.position(offset);
    bytes.get(to, 0, length);
  }

  int u32(int offset) {
    return bytes.getInt(offset);
  }

  long u64(int offset) {
    return bytes.getLong(offset);
  }
}
