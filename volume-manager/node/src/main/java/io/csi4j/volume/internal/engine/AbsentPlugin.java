package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A plugin that is not registered: it gets no call.
 *
 * @param known those that are
 */
record AbsentPlugin(Set<PluginId> known) implements NodePlugin {

  @Override
  public MountPolicy policy() {
    return MountPolicy.defaults();
  }

  @Override
  public Optional<PluginAnswer.Down> barred() {
    return Optional.of(new PluginAnswer.Down(text(), OperatorCode.PLUGIN_NOT_REGISTERED));
  }

  @Override
  public void facts(Consumer<PluginAnswer> then) {
    then.accept(new PluginAnswer.Down(text(), OperatorCode.PLUGIN_NOT_REGISTERED));
  }

  @Override
  public String instance() {
    return "";
  }

  @Override
  public void call(NodeCall call, Consumer<Answer> then) {
    then.accept(new Answer.Failed(StatusCode.UNAVAILABLE, false, text(), Optional.empty()));
  }

  private String text() {
    return "no plugin of this name is registered; there are " + known;
  }
}
