package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.identity.IdentityService.PluginInfo;
import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.metadata.MetadataStream;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.node.NodeStageVolumeRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The code blocks of docs/client.md. */
final class ClientSnippets {

  private ClientSnippets() {}

  // snippet: connect
  public static void main(String[] args) {
    try (CsiPlugin plugin = CsiPlugin.connect(CsiEndpoint.parse(args[0]))) {
      PluginInfo info = plugin.identity().getPluginInfo();
      System.out.println(info.name() + " " + info.vendorVersion());
      System.out.println("offers " + plugin.controller().getCapabilities().offered());
      System.out.println("this node is " + plugin.node().getInfo().nodeId());
    } catch (CsiException failed) {
      System.err.println(failed.getMessage());
    }
  }

  // end

  static void outcome(
      CsiPlugin plugin,
      CreateVolumeRequest request,
      Consumer<Volume> use,
      Consumer<String> log,
      Consumer<String> keepOnRecord) {
    // snippet: outcome
    try {
      use.accept(plugin.controller().createVolume(request));
    } catch (CsiException failed) {
      log.accept(failed.getMessage());
      if (failed.outcome() == Outcome.UNCERTAIN) {
        keepOnRecord.accept(request.name()); // a volume may exist; the same request returns it
      }
    }
    // end
  }

  static CompletableFuture<Volume> async(
      CsiPlugin plugin, CreateVolumeRequest request, Consumer<Volume> use) {
    // snippet: async
    CompletionStage<Volume> made = plugin.controller().async().createVolume(request);
    made.thenAccept(use); // on a thread that may block
    CompletableFuture<Volume> call = made.toCompletableFuture(); // cancelling it cancels the call
    // end
    return call;
  }

  static void listing(CsiPlugin plugin, Consumer<VolumeEntry> use) {
    // snippet: listing
    ListVolumesRequest pages = ListVolumesRequest.builder().maxEntries(500).build();
    for (VolumeEntry entry : plugin.controller().volumes(pages)) {
      use.accept(entry); // reads the next page when this one is used up
    }
    // end
  }

  static void stream(
      CsiPlugin plugin, SnapshotId snapshot, Consumer<List<BlockMetadataBatch.Range>> use) {
    // snippet: stream
    GetMetadataAllocatedRequest request = GetMetadataAllocatedRequest.builder(snapshot).build();
    try (MetadataStream blocks = plugin.snapshotMetadata().getMetadataAllocated(request)) {
      while (blocks.hasNext()) {
        use.accept(blocks.next().ranges()); // requests the next batch only then
      }
    }
    // end
  }

  static ConnectOptions policies() {
    // snippet: policies
    ConnectOptions options =
        ConnectOptions.builder()
            .deadline(Duration.ofSeconds(30)) // of connecting
            .policies(policy -> policy.attempts(5)) // of every operation
            .policy(
                CsiOperation.CREATE_SNAPSHOT, // of this one
                policy ->
                    policy.attemptDeadline(Duration.ofMinutes(10)).budget(Duration.ofMinutes(30)))
            .build();
    // end
    return options;
  }

  static void policyOfACall(CsiPlugin plugin, NodeStageVolumeRequest request) {
    // snippet: policy of a call
    plugin.node().with(policy -> policy.attempts(1)).stageVolume(request);
    // end
  }

  static void capabilities(
      CsiPlugin plugin, ControllerExpandVolumeRequest request, Consumer<String> log) {
    // snippet: capabilities
    if (plugin.controller().getCapabilities().offers(ControllerCapability.EXPAND_VOLUME)) {
      plugin.controller().expandVolume(request);
    }
    try {
      plugin.controller().expandVolume(request); // never sent to a plugin that does not offer it
    } catch (CsiUnsupportedException refused) {
      log.accept("missing: " + refused.missing().orElse("the plugin answered UNIMPLEMENTED"));
    }
    // end
  }

  static Secrets secrets(String password, Consumer<String> log) {
    // snippet: secrets
    Secrets secrets = Secrets.of(Map.of("password", password));
    log.accept("using " + secrets); // using Secrets{password=<redacted>}
    // end
    return secrets;
  }

  static ConnectOptions peer() {
    // snippet: peer
    ConnectOptions options =
        ConnectOptions.builder()
            .requirePeerUid(0)
            .requireName(PluginName.of("disk.csi.example"))
            .build();
    // end
    return options;
  }
}
