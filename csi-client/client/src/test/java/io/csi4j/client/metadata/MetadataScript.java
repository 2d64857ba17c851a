package io.csi4j.client.metadata;

import io.csi4j.client.internal.proto.BlockMetadata;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What a scripted plugin says in a stream of allocated ranges. */
final class MetadataScript {

  static final long CAPACITY = 1L << 40;

  private MetadataScript() {}

  /** A message with ranges: offset, size, offset, size... */
  static GetMetadataAllocatedResponse message(long... numbers) {
    GetMetadataAllocatedResponse.Builder message =
        GetMetadataAllocatedResponse.newBuilder()
            .setBlockMetadataTypeValue(2)
            .setVolumeCapacityBytes(CAPACITY);
    for (int i = 0; i < numbers.length; i += 2) {
      message.addBlockMetadata(
          BlockMetadata.newBuilder().setByteOffset(numbers[i]).setSizeBytes(numbers[i + 1]));
    }
    return message.build();
  }

  /** The offsets that the plugin was asked to begin at, in order. */
  static List<Long> offsets(ScriptedPlugin scripted) {
    return scripted.calls(CsiOperation.GET_METADATA_ALLOCATED).stream()
        .map(call -> call.as(GetMetadataAllocatedRequest.class).getStartingOffset())
        .toList();
  }

  /** Opens once the caller has given up this call. */
  static CountDownLatch cancelled(ScriptedPlugin.Call call) {
    CountDownLatch cancelled = new CountDownLatch(1);
    call.context().addListener(context -> cancelled.countDown(), Runnable::run);
    return cancelled;
  }

  static void await(CountDownLatch latch) {
    try {
      if (!latch.await(10, TimeUnit.SECONDS)) {
        throw new AssertionError("it did not happen");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
