package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.model.ConnectOptions.CallMetadata;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.scripted.ScriptedPlugin;
import io.grpc.Metadata;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The metadata that calls are sent with. */
class CallMetadataTest extends AgainstScriptedPlugin {

  private static final Set<String> OF_GRPC = Set.of("content-type", "te", "user-agent");
  private static final CsiOperation OPERATION = CsiOperation.NODE_UNPUBLISH_VOLUME;

  /** The headers of a call besides those of gRPC. */
  private static Map<String, String> own(ScriptedPlugin.Call call) {
    Map<String, String> own = new TreeMap<>();
    for (String name : call.headers().keys()) {
      if (!OF_GRPC.contains(name) && !name.startsWith("grpc-")) {
        own.put(
            name,
            String.valueOf(
                call.headers().get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER))));
      }
    }
    return own;
  }

  private List<Map<String, String>> sent(CsiOperation operation) {
    return scripted.calls(operation).stream().map(CallMetadataTest::own).toList();
  }

  @Test
  void aCallHasOnlyTheMetadataOfGrpcByDefault() {
    connect().node().unpublishVolume(UNPUBLISH);
    assertThat(sent(OPERATION)).containsExactly(Map.of());
  }

  @Test
  void eachAttemptIsSentWithItsMetadataWhichIsAskedForOnTheThreadOfTheCaller() {
    List<String> threads = new CopyOnWriteArrayList<>();
    CallMetadata metadata =
        operation -> {
          if (operation == OPERATION) {
            threads.add(Thread.currentThread().getName());
          }
          return attempt ->
              Map.of("x-call", operation.rpcName(), "x-attempt", "" + attempt.attempt());
        };
    AtomicInteger calls = new AtomicInteger();
    scripted.on(
        OPERATION,
        (call, reply) -> {
          if (calls.incrementAndGet() < 3) {
            reply.fail(StatusCode.ABORTED, "no");
          } else {
            reply.ok(ScriptedPlugin.defaultAnswer(OPERATION, call.request()));
          }
        });

    connect(options -> options.metadata(metadata)).node().unpublishVolume(UNPUBLISH);

    assertThat(sent(OPERATION))
        .containsExactly(
            Map.of("x-attempt", "1", "x-call", "NodeUnpublishVolume"),
            Map.of("x-attempt", "2", "x-call", "NodeUnpublishVolume"),
            Map.of("x-attempt", "3", "x-call", "NodeUnpublishVolume"));
    assertThat(threads).containsExactly(Thread.currentThread().getName());
    assertThat(sent(CsiOperation.PROBE)).allSatisfy(each -> assertThat(each).hasSize(2));
  }

  @Test
  void listenersHearOfAnAttemptBeforeItsMetadataIsAskedFor() {
    List<String> order = new CopyOnWriteArrayList<>();
    CsiListener listener =
        new CsiListener() {
          @Override
          public void onAsked(Asked event) {
            note(event.operation(), "asked");
          }

          @Override
          public void onStart(Started event) {
            note(event.operation(), "started");
          }

          private void note(CsiOperation operation, String what) {
            if (operation == OPERATION) {
              order.add(what);
            }
          }
        };
    CallMetadata metadata =
        operation -> {
          if (operation == OPERATION) {
            order.add("call");
          }
          return attempt -> {
            if (operation == OPERATION) {
              order.add("attempt");
            }
            return Map.of();
          };
        };
    connect(options -> options.listener(listener).metadata(metadata))
        .node()
        .unpublishVolume(UNPUBLISH);
    assertThat(order).containsExactly("asked", "call", "started", "attempt");
  }

  @Test
  void theMetadataOfAStreamIsAskedForOnTheThreadOfItsCaller() {
    CsiOperation streaming = CsiOperation.GET_METADATA_ALLOCATED;
    List<String> threads = new CopyOnWriteArrayList<>();
    CallMetadata metadata =
        operation -> {
          if (operation == streaming) {
            threads.add(Thread.currentThread().getName());
          }
          return attempt -> Map.of("x-stream", "yes");
        };
    CsiPlugin plugin = connect(options -> options.metadata(metadata));
    try (var batches =
        plugin
            .snapshotMetadata()
            .getMetadataAllocated(
                GetMetadataAllocatedRequest.builder(SnapshotId.of("s")).build())) {
      batches.forEachRemaining(batch -> {});
    }
    assertThat(sent(streaming)).containsExactly(Map.of("x-stream", "yes"));
    assertThat(threads).containsExactly(Thread.currentThread().getName());
  }

  @Test
  void whatGrpcWouldNotTakeIsLeftOutAndTheRestIsSent() {
    Map<String, String> entries =
        Map.of(
            "x-good", "a value",
            "X-Upper", "1",
            "", "2",
            "grpc-timeout", "1n",
            "x-raw-bin", "3",
            "x-line", "4\n5",
            "x-umlaut", "\u00fc",
            ":authority", "elsewhere");
    connect(options -> options.metadata(operation -> attempt -> entries))
        .node()
        .unpublishVolume(UNPUBLISH);
    assertThat(sent(OPERATION)).containsExactly(Map.of("x-good", "a value"));
    assertThat(scripted.calls(OPERATION).get(0).authority()).isEqualTo("localhost");
  }

  @Test
  void aSourceThatThrowsKeepsNoCallBack() {
    connect(
            options ->
                options.metadata(
                    operation -> {
                      throw new IllegalStateException("a broken source");
                    }))
        .node()
        .unpublishVolume(UNPUBLISH);
    connect(
            options ->
                options.metadata(
                    operation ->
                        attempt -> {
                          throw new LinkageError("a broken source");
                        }))
        .node()
        .unpublishVolume(UNPUBLISH);
    assertThat(sent(OPERATION)).containsExactly(Map.of(), Map.of());
  }
}
