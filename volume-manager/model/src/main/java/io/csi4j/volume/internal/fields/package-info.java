/**
 * The form of every record of the volume manager on disk, which is that of protobuf, read strictly.
 * Most are messages: start at {@link io.csi4j.volume.internal.fields.RecordBytes}. The records of
 * the volumes on a node are read field by field, which is quicker: start at {@link
 * io.csi4j.volume.internal.fields.FieldReader}. What the fields mean is known only to the module
 * that owns the record.
 */
@NullMarked
package io.csi4j.volume.internal.fields;

import org.jspecify.annotations.NullMarked;
