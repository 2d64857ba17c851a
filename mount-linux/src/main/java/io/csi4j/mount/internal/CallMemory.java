package io.csi4j.mount.internal;

import io.csi4j.mount.model.MountPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * Memory outside the heap for the arguments of one call: its inputs and outputs, one after the
 * other. A binding would otherwise copy each array in both directions; here an address is a number.
 */
class CallMemory implements AutoCloseable {

  /** Enough for the longest path with its NUL, and the same size for the outputs. */
  static final int SIZE = 8192;

  private static final int ALIGNMENT = Long.BYTES;

  private final ByteBuffer bytes;
  private final long address;
  private final Consumer<? super CallMemory> owner;

  /**
   * Creates empty memory.
   *
   * @param bytes the whole memory, aligned to eight bytes
   * @param address its start address
   * @param owner receives it when the call is over
   */
  CallMemory(ByteBuffer bytes, long address, Consumer<? super CallMemory> owner) {
    this.bytes = bytes.order(ByteOrder.nativeOrder());
    this.address = address;
    this.owner = owner;
  }

  /** Returns whether this many bytes fit, in up to six parts. */
  static boolean fits(long size) {
    return sizeFor(size) <= SIZE;
  }

  /** Returns the memory that this many bytes need, in up to six parts. */
  static long sizeFor(long size) {
    return size + 6 * ALIGNMENT;
  }

  /** Adds these bytes, and returns their address. */
  long with(byte[] from) {
    long at = next();
    bytes.put(from);
    return at;
  }

  /** Adds this path with a NUL after it, and returns its address. */
  long with(MountPath path) {
    long at = next();
    path.terminatedInto(bytes);
    return at;
  }

  /** Reserves space for an output, with old bytes in it, and returns its address. */
  long room(int size) {
    long at = next();
    bytes.position(bytes.position() + size);
    return at;
  }

  /** Reads bytes from an address. */
  void get(long at, byte[] to, int length) {
    bytes.get(offset(at), to, 0, length);
  }

  /** Reads numbers from an address. */
  void get(long at, long[] to, int length) {
    bytes.position(offset(at)).asLongBuffer().get(to, 0, length);
  }

  int u32(long at) {
    return bytes.getInt(offset(at));
  }

  long u64(long at) {
    return bytes.getLong(offset(at));
  }

  /** Ends the call. */
  @Override
  public void close() {
    bytes.clear();
    owner.accept(this);
  }

  private long next() {
    int at = (bytes.position() + ALIGNMENT - 1) & -ALIGNMENT;
    bytes.position(at);
    return address + at;
  }

  private int offset(long at) {
    return (int) (at - address);
  }
}
