package io.csi4j.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.metadata.MetadataStream;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.scripted.ScriptedPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose time counts in a stream of block metadata, on virtual time against a real socket. */
class MetadataTimeTest {

  private static final GetMetadataAllocatedRequest REQUEST =
      GetMetadataAllocatedRequest.builder(SnapshotId.of("snap-1")).build();

  @TempDir Path directory;
  private ScriptedPlugin scripted;
  private VirtualCallEnvironment ground;
  private SnapshotMetadataClient metadata;
  private final List<StatusCode> ends = new CopyOnWriteArrayList<>();

  @BeforeEach
  void connect() {
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
    CsiListener listener =
        new CsiListener() {
          @Override
          public void onEnd(Ended event) {
            ends.add(event.code());
          }
        };
    ground =
        new VirtualCallEnvironment(
            scripted.endpoint(), ConnectOptions.builder().listener(listener).build());
    ground.chance(0);
    metadata = new SnapshotMetadataClient(new ServiceCalls(new CallPath(ground)));
  }

  @AfterEach
  void close() {
    ground.close();
    scripted.close();
  }

  private static GetMetadataAllocatedResponse message(long offset) {
    GetMetadataAllocatedResponse.Builder message =
        GetMetadataAllocatedResponse.newBuilder()
            .setBlockMetadataTypeValue(2)
            .setVolumeCapacityBytes(1000);
    message.addBlockMetadataBuilder().setByteOffset(offset).setSizeBytes(1);
    return message.build();
  }

  @Test
  void aPluginThatKeepsSilentIsGivenUpAfterTheLimitForOneMessage() {
    scripted.on(CsiOperation.GET_METADATA_ALLOCATED, (call, reply) -> {});
    try (MetadataStream stream = metadata.getMetadataAllocated(REQUEST)) {
      CsiTransientException failure =
          catchThrowableOfType(CsiTransientException.class, stream::hasNext);
      assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
      assertThat(failure.attempts()).isEqualTo(3);
      assertThat(ends).endsWith(failure.code(), failure.code(), failure.code());
    }
  }

  @Test
  void aReaderMayTakeItsTime() throws Exception {
    ground.alarmsRing(false);
    CountDownLatch broken = new CountDownLatch(1);
    scripted.on(
        CsiOperation.GET_METADATA_ALLOCATED,
        (call, reply) -> {
          scripted.on(
              CsiOperation.GET_METADATA_ALLOCATED,
              (again, more) -> {
                more.next(message(2));
                more.complete();
              });
          reply.next(message(0));
          reply.next(message(1));
          if (!broken.await(10, TimeUnit.SECONDS)) {
            throw new AssertionError("the reader does not read");
          }
          reply.fail(StatusCode.UNAVAILABLE, "broken");
        });
    try (MetadataStream stream = metadata.getMetadataAllocated(REQUEST)) {
      for (int i = 0; i < 2; i++) {
        assertThat(stream.next().ranges()).containsExactly(new BlockMetadataBatch.Range(i, 1));
        ground.pass(Duration.ofDays(1));
        ground.ring();
      }
      broken.countDown();
      assertThat(stream.next().ranges()).containsExactly(new BlockMetadataBatch.Range(2, 1));
      assertThat(stream.hasNext()).isFalse();
    }
  }

  @Test
  void theBudgetCountsOnlyTimeWithoutProgress() {
    ground.alarmsRing(false);
    int[] calls = {0};
    scripted.on(
        CsiOperation.GET_METADATA_ALLOCATED,
        (call, reply) -> {
          int number = calls[0]++;
          ground.pass(Duration.ofSeconds(40));
          if (number < 5) {
            reply.next(message(number));
          }
          reply.fail(StatusCode.UNAVAILABLE, "broken");
        });
    try (MetadataStream stream =
        metadata
            .with(policy -> policy.attempts(99).budget(Duration.ofSeconds(100)))
            .getMetadataAllocated(REQUEST)) {
      for (int i = 0; i < 5; i++) {
        stream.next();
      }
      CsiTransientException failure =
          catchThrowableOfType(CsiTransientException.class, stream::hasNext);
      assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
      // The fifth call made progress; three more of 40 seconds each are beyond 100.
      assertThat(failure.attempts()).isEqualTo(8);
    }
  }
}
