package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.VolumeCapability;
import java.io.PrintStream;
import java.util.List;

/**
 * Creates a volume, attaches it to a node, reads its properties, detaches it and deletes it. If a
 * step fails, the outcome of the failure decides which cleanup is needed.
 */
public final class ProvisionVolume {

  private static final VolumeCapability USE = VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);

  private final ControllerService controller;
  private final NodeId node;
  private final PrintStream out;

  private ProvisionVolume(ControllerService controller, NodeId node, PrintStream out) {
    this.controller = controller;
    this.node = node;
    this.out = out;
  }

  /** Provisions a volume with the given name, for the given node. */
  public static void main(String[] args) {
    System.exit(run(args, System.out, System.err));
  }

  static int run(String[] args, PrintStream out, PrintStream err) {
    return Program.run(
        "ProvisionVolume ENDPOINT VOLUME_NAME NODE_ID",
        args,
        err,
        () -> {
          try (CsiPlugin plugin = CsiPlugin.connect(CsiEndpoint.parse(args[0]))) {
            new ProvisionVolume(plugin.controller(), NodeId.of(args[2]), out).provision(args[1]);
          }
        });
  }

  private void provision(String name) {
    Volume volume = create(name);
    out.println("created " + volume.id());
    doAndUndo(() -> use(volume), () -> delete(volume));
  }

  private Volume create(String name) {
    try {
      return controller.createVolume(
          CreateVolumeRequest.builder(name, List.of(USE))
              .capacityRange(CapacityRange.atLeast(1L << 30))
              .build());
    } catch (CsiException failed) {
      // Without an id, the volume cannot be deleted. A host must remember the name: repeating the
      // request with this name returns the volume that the first request may have created.
      out.println(
          failed.outcome() == Outcome.UNCERTAIN
              ? "there may be a volume of that name: the same command again finds it"
              : "no volume was made: nothing is owed");
      throw failed;
    }
  }

  private void use(Volume volume) {
    attach(volume);
    out.println("attached to " + node);
    doAndUndo(() -> ask(volume), () -> detach(volume));
  }

  private void attach(Volume volume) {
    try {
      controller.publishVolume(
          ControllerPublishVolumeRequest.builder(volume.id(), node, USE)
              .volumeContext(volume.context())
              .build());
    } catch (CsiException failed) {
      if (failed.outcome() == Outcome.UNCERTAIN) {
        out.println("it may be attached all the same: detaching it");
        undo(() -> detach(volume), failed);
      } else {
        out.println("it was not attached: nothing to detach");
      }
      throw failed;
    }
  }

  private void ask(Volume volume) {
    ValidationResult answer =
        controller.validateVolumeCapabilities(
            ValidateVolumeCapabilitiesRequest.builder(volume.id(), List.of(USE))
                .volumeContext(volume.context())
                .build());
    out.println(
        "usable as asked: "
            + answer.isAcceptable(ValidationResult.Policy.ALL_OR_NOTHING)
            + ", "
            + answer);
    long known = controller.volumes(ListVolumesRequest.builder().build()).stream().count();
    out.println("the plugin lists " + known + " volumes");
  }

  private void detach(Volume volume) {
    controller.unpublishVolume(ControllerUnpublishVolumeRequest.builder(volume.id(), node).build());
    out.println("detached");
  }

  private void delete(Volume volume) {
    controller.deleteVolume(DeleteVolumeRequest.builder(volume.id()).build());
    out.println("deleted");
  }

  /** Runs {@code work}, and then {@code undo}, even if {@code work} fails. */
  private static void doAndUndo(Runnable work, Runnable undo) {
    try {
      work.run();
    } catch (CsiException failed) {
      undo(undo, failed);
      throw failed;
    }
    undo.run();
  }

  /**
   * Runs the cleanup. If the cleanup fails, too, the first failure is still the one that is
   * reported.
   */
  private static void undo(Runnable undo, CsiException first) {
    try {
      undo.run();
    } catch (CsiException second) {
      first.addSuppressed(second);
    }
  }
}
