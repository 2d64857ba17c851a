package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.UsageKey;
import java.util.Optional;

/**
 * Something that an operator may want to know.
 *
 * @param code what
 * @param seen what was seen, as a clause
 * @param usage the use, if it is about one; else the staging or the whole volume
 */
public record Notice(OperatorCode code, String seen, Optional<UsageKey> usage) {}
