package io.csi4j.benchmarks.many;

import io.csi4j.client.StatusCode;
import io.csi4j.mount.MountException;
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

/** A plugin without a socket, which mounts at once wherever it is told to. */
final class MountingPlugin implements NodePlugin, NodePlugins {

  static final PluginId ID = PluginId.of("mounting.csi4j.example");

  private final Kernel kernel;

  MountingPlugin(Kernel kernel) {
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
        kernel.mount(stage.staging(), Optional.empty());
      } else if (call instanceof NodeCall.Publish publish) {
        kernel.mount(publish.target(), publish.staging());
      }
      return Answer.ok();
    } catch (MountException e) {
      return new Answer.Failed(
          StatusCode.INTERNAL, true, String.valueOf(e.getMessage()), Optional.empty());
    }
  }
}
