package io.csi4j.mount.internal.kernel;

/** The {@code struct mnt_id_req} that names a mount to {@code statmount} and {@code listmount}. */
public final class MountIdRequest {

  private MountIdRequest() {}

  /**
   * The request for one mount.
   *
   * @param id its unique number
   * @param param the fields wanted from {@code statmount}, or the number after which {@code
   *     listmount} goes on
   */
  public static byte[] of(long id, long param) {
    byte[] request = new byte[Abi.MNT_ID_REQ_SIZE];
    Struct.u32(request, 0, Abi.MNT_ID_REQ_SIZE);
    Struct.u64(request, 8, id);
    Struct.u64(request, 16, param);
    return request;
  }
}
