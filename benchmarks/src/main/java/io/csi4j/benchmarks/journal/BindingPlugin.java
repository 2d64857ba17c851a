package io.csi4j.benchmarks.journal;

import io.csi4j.client.StatusCode;
import io.csi4j.mount.BindRequest;
import io.csi4j.mount.MountException;
import io.csi4j.mount.MountPath;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.UnmountPolicy;
import io.csi4j.mount.UnmountResult;
import io.csi4j.volume.MountPolicy;
import io.csi4j.volume.PluginId;
import io.csi4j.volume.internal.port.Answer;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.port.NodePlugins;
import io.csi4j.volume.internal.port.PluginAnswer;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** A plugin without a socket, whose every volume is the same directory, really bound. */
final class BindingPlugin implements NodePlugin, NodePlugins {

  /** Its name. */
  static final PluginId ID = PluginId.of("binding.csi4j.example");

  private final MountPath source;
  private final Mounts mounts = Mounts.system();

  /** A plugin whose volumes all show this directory. */
  BindingPlugin(MountPath source) {
    this.source = source;
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
    then.accept(new PluginAnswer.Up(true, "1", false, false));
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
        bind(source, stage.staging());
      } else if (call instanceof NodeCall.Publish publish) {
        bind(publish.staging().orElse(source), publish.target());
      } else if (call instanceof NodeCall.Unpublish unpublish) {
        unmount(unpublish.target());
      } else if (call instanceof NodeCall.Unstage unstage) {
        unmount(unstage.staging());
      }
      return Answer.ok();
    } catch (MountException e) {
      return new Answer.Failed(
          StatusCode.INTERNAL, true, String.valueOf(e.getMessage()), Optional.empty());
    }
  }

  private void bind(MountPath from, MountPath to) {
    if (!mounts.bind(BindRequest.builder(from, to).createTarget().build()).created()) {
      throw new IllegalStateException("Something was bound there already: " + to);
    }
  }

  private void unmount(MountPath path) {
    if (mounts.unmount(path, UnmountPolicy.PLAIN).step() != UnmountResult.Step.PLAIN) {
      throw new IllegalStateException("Nothing was mounted there: " + path);
    }
  }
}
