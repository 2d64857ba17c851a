package io.csi4j.volume.internal.real;

import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.Optional;

/** Whether something new may be begun with an instance. Giving back is always tried. */
final class Bars {

  private Bars() {}

  /** Returns why nothing may be begun, if so; an instance without a supervisor is tried. */
  static Optional<PluginAnswer.Down> of(RegisteredPlugin known) {
    if (known.remembered()) {
      return Optional.of(
          new PluginAnswer.Down(
              "it is known from an earlier run, and was not registered since this start",
              OperatorCode.PLUGIN_NOT_REGISTERED));
    }
    if (known.health().state() != State.UNHEALTHY) {
      return Optional.empty();
    }
    return Optional.of(
        new PluginAnswer.Down(
            "it is unhealthy since " + known.health().since() + ": " + known.health().text(),
            OperatorCode.PLUGIN_UNHEALTHY));
  }
}
