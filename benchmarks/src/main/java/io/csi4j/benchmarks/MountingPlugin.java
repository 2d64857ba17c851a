package io.csi4j.benchmarks;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.port.NodePlugins;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginId;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** A plugin without a socket, which mounts and unmounts immediately at the requested path. */
public final class MountingPlugin implements NodePlugin, NodePlugins {

  private static final CsiEndpoint NOWHERE = CsiEndpoint.of(Path.of("/"));

  /** The name of the plugin. */
  public static final PluginId ID = PluginId.of("mounting.csi4j.example");

  /** The mounts that the plugin changes. */
  public interface Mounting {

    /**
     * Mounts a volume at a path: the volume that is mounted at {@code shown}, or otherwise a new
     * volume.
     */
    void mount(MountPath path, Optional<MountPath> shown);

    /** Unmounts the volume at a path. Returns false if nothing was mounted there. */
    boolean unmount(MountPath path);
  }

  /**
   * Real bind mounts.
   *
   * @param source the directory that all volumes show
   */
  public record Binds(MountPath source) implements Mounting {
    @Override
    public void mount(MountPath path, Optional<MountPath> shown) {
      BindRequest request =
          BindRequest.builder(shown.orElse(source), path).createTarget(true).build();
      if (!Mounts.system().bind(request).created()) {
        throw new IllegalStateException("Something was bound there already: " + path);
      }
    }

    @Override
    public boolean unmount(MountPath path) {
      return Mounts.system().unmount(path, UnmountPolicy.PLAIN).step() == UnmountResult.Step.PLAIN;
    }
  }

  private final Mounting kernel;

  /** Creates a plugin that changes these mounts. */
  public MountingPlugin(Mounting kernel) {
    this.kernel = kernel;
  }

  @Override
  public Optional<NodePlugin> find(PluginId id) {
    return id.equals(ID) ? Optional.of(this) : Optional.empty();
  }

  @Override
  public Set<PluginId> known() {
    return Set.of(ID);
  }

  @Override
  public MountPolicy policy() {
    return MountPolicy.defaults();
  }

  @Override
  public void facts(Consumer<PluginAnswer> then) {
    then.accept(new PluginAnswer.Up(true, "1", false, false, true));
  }

  @Override
  public void knownFacts(Consumer<PluginAnswer> then) {
    facts(then);
  }

  @Override
  public String instance() {
    return "1";
  }

  @Override
  public void call(NodeCall call, Consumer<Answer> then) {
    then.accept(done(call));
  }

  private Answer done(NodeCall call) {
    try {
      if (call instanceof NodeCall.Stage stage) {
        kernel.mount(stage.staging(), Optional.empty());
      } else if (call instanceof NodeCall.Publish publish) {
        kernel.mount(publish.target(), publish.staging());
      } else if (call instanceof NodeCall.Unpublish unpublish) {
        unmount(unpublish.target());
      } else if (call instanceof NodeCall.Unstage unstage) {
        unmount(unstage.staging());
      }
      return Answer.ok();
    } catch (MountException e) {
      return Answer.failed(
          CsiFailure.builder(NOWHERE, StatusCode.INTERNAL, Outcome.UNCERTAIN)
              .answered(true)
              .attempts(1)
              .why(String.valueOf(e.getMessage()))
              .build());
    }
  }

  private void unmount(MountPath path) {
    if (!kernel.unmount(path)) {
      throw new IllegalStateException("Nothing was mounted there: " + path);
    }
  }
}
