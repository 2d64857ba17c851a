package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.MountedVolume;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The results that callers get. */
final class Results {

  private Results() {}

  static MountedVolume mounted(
      VolumeLayout layout,
      VolumeIdentity identity,
      UsageKey usage,
      boolean block,
      boolean readOnly) {
    Path path = layout.target(identity, usage).toPath();
    return block
        ? new MountedVolume.BlockDevice(usage, path, readOnly)
        : new MountedVolume.Filesystem(usage, path, readOnly);
  }

  static VolumeException failed(
      Outcome outcome, OperatorMessage message, @Nullable OperationId id, Failure failure) {
    return new VolumeException(outcome, message, id, failure.cause().orElse(null));
  }

  /** A refusal that needs no more than its code and what was seen. */
  static VolumeException refused(OperatorCode code, Subject subject, String seen) {
    return new VolumeException(Outcome.REFUSED, Messages.of(code, subject, seen), null, null);
  }

  /** Returns the subject of an operation. */
  static Subject subject(
      VolumeLayout layout, String doing, VolumeIdentity identity, Optional<UsageKey> usage) {
    Subject subject = Subject.of(doing, identity);
    return usage
        .map(key -> subject.by(key).at(layout.target(identity, key)))
        .orElseGet(() -> subject.at(layout.staging(identity)));
  }
}
