package io.csi4j.mount.internal;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.csi4j.mount.MountPath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Memory outside the heap for the arguments of one call. An array that JNA passes is copied twice
 * and costs more than the rest of its work; an address is a number.
 */
final class Scratch {

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

  /**
   * The memory that is not in use. Whoever takes some has it alone until it is given back; there is
   * always some, and what is too much is forgotten. A thread finds its own again without being its
   * owner, so that any number of threads, virtual ones too, leaves little behind.
   */
  static final class Pool {

    /** A power of two. */
    private static final int PLACES = 16;

    private final AtomicReferenceArray<Scratch> free = new AtomicReferenceArray<>(PLACES);

    Scratch take() {
      Scratch taken = free.getAndSet(place(), null);
      return taken == null ? new Scratch() : taken;
    }

    void giveBack(Scratch taken) {
      free.setRelease(place(), taken);
    }

    @SuppressWarnings("deprecation") // its successor came after Java 17
    private static int place() {
      return (int) Thread.currentThread().getId() & (PLACES - 1);
    }
  }
}
