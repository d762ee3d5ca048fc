import type { Finding } from '../desk/system/findings.ts';

/** The dashboard shows the parts of the contract; doctor looks at more. */
export type DoctorFinding = Omit<Finding, 'part'> & {
  part:
    | Finding['part']
    | 'version'
    | 'encryption_keys'
    | 'public_url'
    | 'proxy'
    | 'bucket_cors'
    | 'clock'
    | 'certificate'
    | 'mail_server'
    | 'time_stamp_authority'
    | 'webhook_egress'
    | 'content_credentials'
    | 'trust_list'
    | 'ai_model';
};
