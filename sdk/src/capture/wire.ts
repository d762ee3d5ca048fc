/** What an image step asks for; `min: 0` is an optional slot. */
export type ImageStep = { type: 'image'; key: string; description: string; min: number; max: number };

export type TextStep = {
  type: 'text';
  key: string;
  description: string;
  required: boolean;
  validation: { min_length?: number; max_length: number; format: 'free_text' | 'numeric_id' | 'alphanumeric_id' };
};

/** Pictures that already exist, chosen from the device. */
export type UploadStep = {
  type: 'upload';
  key: string;
  description: string;
  min: number;
  max: number;
  accept: string[];
  max_size_bytes: number;
};

export type Step = ImageStep | TextStep | UploadStep;

export type StepState =
  | { key: string; type: 'image' | 'upload'; captured: number; remaining: number }
  | { key: string; type: 'text'; answered: boolean };

export type Status = 'pending' | 'partially_captured' | 'completed' | 'expired' | 'failed' | 'abandoned';

export type Brand = {
  slug: string;
  name: string;
  logo_url?: string;
  colors?: { accent?: string; background?: string };
};

/** The verification as its end user may see it: the answer of every capture-token route. */
export type CaptureView = {
  id: string;
  status: Status;
  capture_url: string;
  created_at: string;
  expires_at: string;
  captures_count: number;
  config: { max_captures: number; steps: Step[]; signals_required: string[] };
  step_states: StepState[];
  brand?: Brand;
  /** What the verification expects besides pictures: the place, and a second frame after a small move. */
  requires?: { location: boolean; motion_frame: boolean };
  turnstile_site_key?: string;
};

/** The share-safe projection behind a certificate. */
export type PublicView = {
  id: string;
  status: Status;
  created_at: string;
  completed_at?: string;
  captures_count: number;
  verdict?: { label: 'verified' | 'suspicious' | 'failed' };
  brand?: Brand;
  record_seal?: { algorithm: string; hash: string };
};

/** Where and how to PUT the bytes of one capture. Good once, for five minutes. */
export type UploadTarget = {
  capture_id: string;
  image_key: string;
  upload_url: string;
  method: 'PUT';
  headers: Record<string, string>;
  expires_at: string;
};

export type DeviceLocation = { latitude: number; longitude: number; accuracy_m?: number; simulated?: boolean };

/** `POST …/captures` by reference to bytes that were PUT before. */
export type CaptureSubmission = {
  image_key: string;
  /** Hex SHA-256 of the bytes. */
  image_sha256: string;
  step_key?: string;
  surface?: string;
  /** ISO 8601, by the device's clock. */
  client_captured_at?: string;
  location?: DeviceLocation;
  motion_frame_base64?: string;
  attestation_token?: string;
};

export type ProgressReport = {
  schema_version: 1;
  step: 'landing' | 'ready' | 'capturing' | 'reviewing' | 'uploading' | 'camera_blocked' | 'success';
  elapsed_ms: number;
  step_index?: number;
  camera_permission?: 'granted' | 'denied' | 'unavailable' | 'unknown';
  abandoned?: boolean;
};
