package io.csi4j.volume.upkeep;

import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.JobVolumes;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Where a reaper finds what is left over, and who takes it away.
 *
 * @param claims brings claims back, by their states and with proof
 * @param node the node that the reaper runs on, if it looks after one
 * @param plugins the plugins that may be forgotten
 * @param ephemeral the volumes that may be deleted
 * @since 1.0
 */
public record ReaperSources(
    ClaimCoordinator claims, Optional<Node> node, Plugins plugins, Ephemeral ephemeral) {

  /** Checks that all parts are there. */
  public ReaperSources {
    Objects.requireNonNull(claims, "claims");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(plugins, "plugins");
    Objects.requireNonNull(ephemeral, "ephemeral");
  }

  /** Claims only, from anywhere. */
  public static ReaperSources of(ClaimCoordinator claims) {
    return new ReaperSources(claims, Optional.empty(), Plugins.NONE, Ephemeral.NONE);
  }

  /** Returns these sources with the claims of this node. */
  public ReaperSources with(Node here) {
    return new ReaperSources(claims, Optional.of(here), plugins, ephemeral);
  }

  /** Returns these sources with these plugins. */
  public ReaperSources with(Plugins registered) {
    return new ReaperSources(claims, node, registered, ephemeral);
  }

  /** Returns these sources with these volumes. */
  public ReaperSources with(Ephemeral volumes) {
    return new ReaperSources(claims, node, plugins, volumes);
  }

  /** Proves that nothing of a use is left on a node; a volume manager does. */
  @FunctionalInterface
  public interface Receipts {

    /**
     * The proof.
     *
     * @param epoch the epoch of the claim
     * @throws io.csi4j.volume.model.VolumeException if there is none
     */
    NodeReceipt receipt(VolumeUse usage, long epoch);
  }

  /** The knowledge of a node about itself. */
  public interface Node extends Receipts {

    /**
     * The node whose mounts a volume manager looks after.
     *
     * @param name its name, as claims have it
     * @param receipts proves that nothing of a use is left: {@code manager::receipt}
     * @param wanted whether its host wants a use, or may be about to have it mounted
     */
    static Node of(NodeName name, Receipts receipts, Predicate<VolumeUse> wanted) {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(receipts, "receipts");
      Objects.requireNonNull(wanted, "wanted");
      return new Node() {
        @Override
        public NodeName name() {
          return name;
        }

        @Override
        public boolean wants(VolumeUse usage) {
          return wanted.test(usage);
        }

        @Override
        public NodeReceipt receipt(VolumeUse usage, long epoch) {
          return receipts.receipt(usage, epoch);
        }
      };
    }

    /** Its name. */
    NodeName name();

    /** Whether its host wants this use, or may be about to have it mounted. */
    boolean wants(VolumeUse usage);
  }

  /** Plugins and what needs them. */
  public interface Plugins {

    /**
     * The plugins in a registry that nothing needs.
     *
     * @param registry {@code manager.plugins()} where there is a volume manager
     * @param needed whether a volume of the plugin is mounted or owed here, or the host needs the
     *     plugin for volumes to come, or to be asked by a controller
     * @param forget forgets a plugin, and tells whether it was there: {@code manager::deregister}
     */
    static Plugins of(
        PluginRegistry registry, Predicate<PluginId> needed, Predicate<PluginId> forget) {
      Objects.requireNonNull(registry, "registry");
      Objects.requireNonNull(needed, "needed");
      Objects.requireNonNull(forget, "forget");
      return new Plugins() {
        @Override
        public Map<PluginId, OperatorMessage.Part> unused() {
          Map<PluginId, OperatorMessage.Part> unused = new LinkedHashMap<>();
          for (RegisteredPlugin registered : registry.plugins()) {
            PluginId plugin = registered.registration().id();
            if (!needed.test(plugin)) {
              unused.put(
                  plugin,
                  new OperatorMessage.Part("it has no volume here, and its host does not need it"));
            }
          }
          return unused;
        }

        @Override
        public boolean forget(PluginId plugin) {
          return forget.test(plugin);
        }
      };
    }

    /** There are none. */
    Plugins NONE =
        new Plugins() {
          @Override
          public Map<PluginId, OperatorMessage.Part> unused() {
            return Map.of();
          }

          @Override
          public boolean forget(PluginId plugin) {
            return false;
          }
        };

    /** Those that no volume needs, wherever it is, with the reason. */
    Map<PluginId, OperatorMessage.Part> unused();

    /** Forgets one; false if it was not there. */
    boolean forget(PluginId plugin);
  }

  /** Volumes that live no longer than their workloads. */
  public interface Ephemeral {

    /**
     * The ephemeral volumes that a controller has on record.
     *
     * @param wanted whether the workload of a volume is there, or is about to be
     */
    static Ephemeral of(VolumeController controller, Predicate<VolumeKey> wanted) {
      Objects.requireNonNull(controller, "controller");
      Objects.requireNonNull(wanted, "wanted");
      return new Ephemeral() {
        @Override
        public List<VolumeKey> pending() {
          return controller.ephemeral().stream().filter(key -> !wanted.test(key)).toList();
        }

        @Override
        public boolean delete(VolumeKey volume) {
          controller.delete(volume);
          return controller.record(volume).isEmpty();
        }
      };
    }

    /**
     * The ephemeral volumes of which nobody has a claim. A host that makes ephemeral volumes needs
     * a claim for each use of them then.
     */
    static Ephemeral of(JobVolumes volumes) {
      Objects.requireNonNull(volumes, "volumes");
      return new Ephemeral() {
        @Override
        public List<VolumeKey> pending() {
          return volumes.unclaimed();
        }

        @Override
        public boolean delete(VolumeKey volume) {
          return volumes.deleteUnclaimed(volume);
        }
      };
    }

    /** There are none. */
    Ephemeral NONE =
        new Ephemeral() {
          @Override
          public List<VolumeKey> pending() {
            return List.of();
          }

          @Override
          public boolean delete(VolumeKey volume) {
            return false;
          }
        };

    /** Those whose deletion was begun or is due, and that are still on record. */
    List<VolumeKey> pending();

    /** Goes on with the deletion of one; false if it is not done yet. */
    boolean delete(VolumeKey volume);
  }
}
