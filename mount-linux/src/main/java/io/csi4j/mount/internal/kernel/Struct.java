package io.csi4j.mount.internal.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads and writes the numbers in a kernel structure, in the machine's byte order. */
public final class Struct {

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());

  private Struct() {}

  public static long u64(byte[] from, int at) {
    return (long) LONG.get(from, at);
  }

  public static int u32(byte[] from, int at) {
    return (int) INT.get(from, at);
  }

  public static int u16(byte[] from, int at) {
    return (short) SHORT.get(from, at) & 0xffff;
  }

  public static void u64(byte[] to, int at, long value) {
    LONG.set(to, at, value);
  }

  public static void u32(byte[] to, int at, int value) {
    INT.set(to, at, value);
  }

  public static void u16(byte[] to, int at, int value) {
    SHORT.set(to, at, (short) value);
  }

  /**
   * Returns the {@code struct mnt_id_req} that names a mount for {@code statmount} and {@code
   * listmount}.
   *
   * @param id its unique number
   * @param param the requested fields of {@code statmount}, or the number after which {@code
   *     listmount} continues
   */
  public static byte[] mountIdRequest(long id, long param) {
    byte[] request = new byte[Abi.MNT_ID_REQ_SIZE];
    u32(request, Abi.MNT_ID_REQ_AT_SIZE, Abi.MNT_ID_REQ_SIZE);
    u64(request, Abi.MNT_ID_REQ_AT_ID, id);
    u64(request, Abi.MNT_ID_REQ_AT_PARAM, param);
    return request;
  }
}
