/**
 * The form of every record of the volume manager on disk: messages of protobuf, read strictly.
 * Start at {@link io.csi4j.volume.internal.fields.RecordBytes}. What the fields of a record mean is
 * known only to the chamber that owns the record.
 */
@NullMarked
package io.csi4j.volume.internal.fields;

import org.jspecify.annotations.NullMarked;
