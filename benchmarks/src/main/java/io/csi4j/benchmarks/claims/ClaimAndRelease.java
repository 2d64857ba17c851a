package io.csi4j.benchmarks.claims;

import io.csi4j.benchmarks.Callers;
import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A workload claims a volume and releases it, which takes three writes. */
final class ClaimAndRelease implements Callers.Work {

  private final ClaimBook book;

  ClaimAndRelease(RecordStore store) {
    book = new ClaimBook(store, Clock.systemUTC());
  }

  private static VolumeUse usage(int caller) {
    return VolumeUse.of(VolumeKey.of("volume-" + caller), WorkloadId.of("workload-" + caller));
  }

  private static ClaimRequest wish(int caller) {
    return ClaimRequest.builder(
            usage(caller),
            NodeName.of("node-" + caller),
            new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
            ClaimMode.WRITE)
        .build();
  }

  @Override
  public void doOnce(int caller) {
    take(book, caller);
    release(book, caller);
    book.forget(usage(caller));
  }

  private static void take(ClaimBook book, int caller) {
    if (book.claim(wish(caller)).state() != ClaimHolder.State.TAKEN) {
      throw new IllegalStateException("The claim was not taken.");
    }
  }

  private static void release(ClaimBook book, int caller) {
    if (book.advance(usage(caller), ClaimHolder.State.READY_TO_FREE).isEmpty()) {
      throw new IllegalStateException("The claim was gone.");
    }
  }

  /** Returns the bytes of the three writes, in order. */
  static List<byte[]> bytes() {
    try (MemoryStore store = new MemoryStore()) {
      ClaimBook book = new ClaimBook(store, Clock.systemUTC());
      List<byte[]> writes = new ArrayList<>();
      take(book, 1);
      writes.add(bytes(book));
      release(book, 1);
      writes.add(bytes(book));
      book.forget(usage(1));
      writes.add(bytes(book));
      return writes;
    }
  }

  private static byte[] bytes(ClaimBook book) {
    Claim claim = book.read(usage(1).volume());
    return new ClaimCodec().encode(claim, UUID.randomUUID(), UnknownFields.NONE);
  }
}
