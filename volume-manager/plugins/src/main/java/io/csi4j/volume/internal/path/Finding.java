package io.csi4j.volume.internal.path;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.model.OperatorCode;

/**
 * A warning about a path that can still be used.
 *
 * @param code the code for operators
 * @param path the path
 * @param text the observation and the action to take: a clause
 */
public record Finding(OperatorCode code, MountPath path, String text) {}
