package io.csi4j.examples;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.local.LocalStore;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.function.Function;

/**
 * Moves a volume from a workload on one node to a workload on another node. Both nodes and the
 * control plane are in this process, and the fake plugin mounts in memory.
 */
public final class MoveVolume {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final VolumeKey NOTES = VolumeKey.of("notes");
  private static final AccessMode MODE = AccessMode.SINGLE_NODE_WRITER;
  private static final AttachmentMode FILES = AttachmentMode.FILESYSTEM;

  private MoveVolume() {}

  /** Moves the volume. The argument is an empty directory. */
  public static void main(String[] args) {
    move(Path.of(args[0]), System.out);
  }

  static void move(Path directory, PrintStream out) {
    MemoryKernel kernel = new MemoryKernel();
    PluginRegistry plugins = InMemoryPluginRegistry.open();
    try (FakeCsiPlugin storage =
            FakeCsiPlugin.builder()
                .shape(PluginShape.attachRequired())
                .nodes(NodeId.of("n1"), NodeId.of("n2"))
                .effects(NodeEffects.filesMountedIn(kernel.host()))
                .open();
        RecordStore store = LocalStore.open(directory.resolve("store"));
        VolumeController volumes = VolumeController.builder(plugins, store).claims(store).open()) {
      plugins.register(PluginRegistration.controller(PluginBinding.of(PLUGIN, storage.endpoint())));
      ClaimBook book = new ClaimBook(store, Clock.systemUTC());
      ClaimCoordinator claims =
          new ClaimCoordinator(book, volumes.attachments(), Clock.systemUTC(), event -> {});
      Function<String, VolumeManager> node =
          name ->
              VolumeManager.builder(directory.resolve(name))
                  .claims(NodeClaims.of(NodeName.of(name), book::standing)) // asks the store
                  .mounts(kernel.table(), kernel.mounts()) // where the fake mounts
                  .plugin(PluginBinding.of(PLUGIN, storage.nodeEndpoint(NodeId.of(name))))
                  .open();
      try (VolumeManager n1 = node.apply("n1");
          VolumeManager n2 = node.apply("n2")) {
        VolumeSpec spec = VolumeSpec.builder(PLUGIN).use(MODE, FILES).build();
        move(volumes.create(NOTES, spec), claims, n1, n2, out);
      }
    }
  }

  private static void move(
      CatalogVolume notes,
      ClaimCoordinator claims,
      VolumeManager n1,
      VolumeManager n2,
      PrintStream out) {
    ClaimGrant first = claims.acquire(request("web-1", "n1")); // claimed, and attached to n1
    n1.mount(mount(notes, first)); // asks for the claim before it stages and publishes
    out.println("web-1 has it on n1, epoch " + first.epoch());
    try {
      claims.acquire(request("web-2", "n2"));
    } catch (ClaimException refused) {
      out.println("web-2 has to wait: " + refused.code());
    }

    claims.release(first.usage()); // n1 mounts nothing more with this claim
    n1.unmount(first.usage());
    NodeReceipt receipt = n1.receipt(first.usage(), first.epoch()); // looks at the mount table
    if (claims.confirmRelease(receipt) instanceof ClaimProgress.Gone) { // detached from n1
      out.println("web-1 has given it back");
    }

    ClaimGrant second = claims.acquire(request("web-2", "n2"));
    n2.mount(mount(notes, second));
    out.println("web-2 has it on n2, epoch " + second.epoch());
  }

  private static ClaimRequest request(String workload, String node) {
    VolumeUse usage = VolumeUse.of(NOTES, WorkloadId.of(workload));
    Claim.Use use = new Claim.Use(MODE, FILES);
    return ClaimRequest.builder(usage, NodeName.of(node), use, ClaimMode.WRITE)
        .nodeId(NodeId.of(node)) // how the plugin names the node
        .build();
  }

  private static MountRequest mount(CatalogVolume volume, ClaimGrant grant) {
    return MountRequest.builder(volume, grant.usage().workload(), MODE, FILES).claim(grant).build();
  }
}
